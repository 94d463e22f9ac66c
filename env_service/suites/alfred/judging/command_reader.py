"""Reads what a command asks for, in whichever language and wording it comes: English by clauses
and the part that each thing plays in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from env_service.suites.alfred.command_wordings import Wording
from env_service.suites.alfred.judging.english_words import (
    BASES,
    BESIDE,
    CONTAINING,
    CONTENT_OF,
    GROUPS,
    ITEMS,
    LAMPS,
    LEAVING,
    LINKS,
    MANY,
    MOVABLES,
    NEARBY_TO,
    NOUNS,
    ORDINALS,
    PARTS,
    PLACES,
    PLACING,
    SLICING,
    STATES,
    TOOLS,
    TWO,
    VERBS,
    Act,
)
from env_service.suites.alfred.judging.intent import NOTHING, Intent, Slot, State, Types
from env_service.suites.alfred.judging.korean_reader import read_korean
from env_service.suites.alfred.object_words import SLICEABLE

CONTEXTUAL = (Wording.CONTEXTUAL, Wording.WITHOUT_CONTEXT)
"""Wordings of which anything that is mentioned may be meant."""


def read_command(text: str, *, language: str = "en", wording: Wording | None = None) -> Intent:
    """What a command asks for; slots that it does not fill are empty.

    Args:
        language: BCP 47: English, or Korean ("ko").
        wording: contextual ones are read for what they mention; None: it is a plain order.
    """
    if language.split("-", maxsplit=1)[0] == "ko":
        return read_korean(text)
    return read_english(text, contextual=wording in CONTEXTUAL)


# --- Reads what a command in English asks for

_KNIVES = frozenset({"Knife", "ButterKnife"})
_APPLIANCES = {Act.COOL: "Fridge", Act.HEAT: "Microwave", Act.CLEAN: "SinkBasin"}
_IMPLIED = {"Fridge": State.COOLED, "Microwave": State.HEATED}
_PURPOSE = frozenset({"for", "by"})


def read_english(text: str, *, contextual: bool = False) -> Intent:
    """What a command asks for.

    Args:
        contextual: it is a context and an indirect order, of which anything mentioned may be meant
            ("in our kitchen, …; put it in its usual spot").
    """
    tokens = tokens_of(text)
    clauses = clauses_of(tokens)
    return _loosely(tokens, clauses) if contextual else _strictly(tokens, clauses)


def types_of_words(words: str) -> Types:
    """All types that a noun may mean, as goals name them: "rack" is a shelf or a towel holder.
    Empty for no noun that is known."""
    found = mentions_of(tokens_of(words))
    return found[-1].types if found else NOTHING


def _strictly(tokens: Sequence[str], clauses: Sequence[Clause]) -> Intent:
    states = _states(tokens)
    lamps = _lamps(clauses)
    place, passed = _destination(clauses, looks=bool(lamps))
    movable = _movable(clauses)
    item = _item(clauses, movable, sliced=_is_sliced(tokens))
    sliced = _is_sliced(tokens) and (item is None or bool(item.types & set(SLICEABLE)))
    if place is not None:
        states |= frozenset(
            state
            for kind, state in _IMPLIED.items()
            if any(each.types == {kind} for each in passed)
        )
    return Intent(
        objects=NOTHING if item is None else item.types,
        sliced=sliced,
        states=states,
        movables=NOTHING if movable is None else movable.types & MOVABLES,
        destinations=_place_types(place, clauses, looks=bool(lamps)),
        counts=_counts(tokens, item),
        lamps=lamps,
        puts=any(each.act is Act.PUT for each in clauses),
        words=_words((Slot.OBJECT, item), (Slot.MOVABLE, movable), (Slot.DESTINATION, place)),
    )


def _loosely(tokens: Sequence[str], clauses: Sequence[Clause]) -> Intent:
    parts = [part for clause in clauses for part in clause.parts]
    lamps = _lamps(clauses)
    places = [each.mention for each in parts if each.mention.is_place]
    items = [each.mention for each in parts if each.mention.items]
    sliced = _is_sliced(tokens)
    carried = frozenset().union(*(each.items for each in items))
    inside = [
        each.mention
        for each in parts
        if each.role is Role.PLACE and each.mention.types & MOVABLES and not each.mention.is_place
    ]
    if any(each.role is Role.CONTENT and each.mention.items for each in parts):
        inside += [each for each in items if each.types & MOVABLES]
    return Intent(
        objects=carried,
        sliced=sliced and bool(not carried or carried & set(SLICEABLE)),
        states=_states(tokens),
        movables=frozenset().union(*(each.types & MOVABLES for each in inside)),
        destinations=frozenset().union(*(each.types & PLACES for each in places)),
        counts=_counts(tokens, items[-1] if items else None),
        lamps=lamps,
        loose=True,
        words=_words(
            (Slot.OBJECT, items[-1] if items else None),
            (Slot.DESTINATION, places[-1] if places else None),
        ),
    )


def _words(*said: tuple[Slot, Mention | None]) -> dict[Slot, str]:
    return {slot: mention.words for slot, mention in said if mention is not None}


def _states(tokens: Sequence[str]) -> frozenset[State]:
    """The changes of state. "For washing" states a purpose, and a clean room is not a state."""
    named = {at for each in mentions_of(tokens) for at in range(each.start, each.end)}
    return frozenset(
        STATES[token]
        for at, token in enumerate(tokens)
        if token in STATES and at not in named and (at == 0 or tokens[at - 1] not in _PURPOSE)
    )


def _is_sliced(tokens: Sequence[str]) -> bool:
    return any(token in SLICING for token in tokens)


def _counts(tokens: Sequence[str], item: Mention | None) -> frozenset[int]:
    """How many may be meant: two where it says so, either for a plural or a group, else one."""
    if TWO & set(tokens):
        return frozenset({2})
    if item is None:
        return frozenset()
    grouped = any(word in GROUPS and following == "of" for word, following in pairwise(tokens))
    many = item.plural or grouped or bool(MANY & set(tokens)) or "slices" in tokens
    return frozenset({1, 2}) if many else frozenset({1})


def _lamps(clauses: Sequence[Clause]) -> Types:
    """The lamps that may be meant: what all that is said of a lamp or light agrees on."""
    found: Types = NOTHING
    for clause in clauses:
        for part in clause.parts:
            if part.mention.is_lamp:
                found = (found & part.mention.types) or part.mention.types
    return found & LAMPS


def _parts(clauses: Iterable[Clause], *roles: Role) -> list[tuple[Clause, Part]]:
    return [(each, part) for each in clauses for part in each.parts if part.role in roles]


def _destination(
    clauses: Sequence[Clause], *, looks: bool
) -> tuple[Mention | None, tuple[Mention, ...]]:
    """Where it belongs, and where it is put on the way there. An appliance that changes its state
    is not where it belongs: "chill it in the fridge". But where two changes of state are named and
    no other place, it ends in the appliance of the last: "chill it, then warm it in the
    microwave"."""
    found: list[Mention] = []
    treated: list[Act] = []
    passed: Mention | None = None
    for clause in clauses:
        own = [
            part.mention
            for part in clause.parts
            if part.role is Role.PLACE and part.mention.is_place and not part.mention.is_lamp
        ]
        appliance = _APPLIANCES.get(clause.act) if clause.act else None
        if clause.act is not None and appliance is not None:
            treated.append(clause.act)
            passed = next((each for each in own if each.types == {appliance}), None)
        own = [each for each in own if appliance is None or each.types != {appliance}]
        after_lamp = any(part.mention.is_lamp for part in clause.parts)
        if own and not (looks and (after_lamp or clause.act in (Act.LOOK, Act.TAKE))):
            found.append(own[0])
    if found:
        return found[-1], tuple(found[:-1])
    if passed is not None and len(set(treated)) > 1:
        return passed, ()
    return (None if looks else _under(clauses)), ()


def _under(clauses: Sequence[Clause]) -> Mention | None:
    """The place without "in" or "on" (under the coffee maker), if the command names no better
    one."""
    for clause, part in _parts(clauses, Role.LANDMARK):
        if part.mention.types == {"CoffeeMachine"} and clause.act not in (Act.TAKE, Act.LOOK):
            return part.mention
    return None


def _place_types(place: Mention | None, clauses: Sequence[Clause], *, looks: bool) -> Types:
    if place is not None:
        return place.types & PLACES
    for clause in clauses:
        thrown = clause.act is Act.DISCARD or (
            clause.adverbs and any(each.startswith(("throw", "toss")) for each in clause.tokens)
        )
        if thrown and not looks:
            return frozenset({"GarbageCan"})
        if any(each.startswith("refrigerat") and each[-1] in "eg" for each in clause.tokens):
            return frozenset({"Fridge"})
    return NOTHING


def _movable(clauses: Sequence[Clause]) -> Mention | None:
    """What goes along: the cup in "a fork in the cup" and in "a cup with a fork"."""
    for clause in clauses:
        before: Mention | None = None
        for part in clause.parts:
            mention = part.mention
            carries = bool(mention.types & MOVABLES) and not mention.is_place
            if part.role is Role.PLACE and carries and clause.act is not Act.TAKE:
                return mention
            if part.role is Role.CONTENT and mention.items and before is not None:
                return before
            if carries and part.role is Role.DIRECT:
                before = mention
    return None


def _item(clauses: Sequence[Clause], movable: Mention | None, *, sliced: bool) -> Mention | None:
    """What is carried: what is inside the movable, or else what the verbs are about."""
    container = NOTHING if movable is None else movable.types
    contents = [part.mention for _, part in _parts(clauses, Role.CONTENT) if part.mention.items]
    direct = [part.mention for _, part in _parts(clauses, Role.DIRECT) if part.mention.items]
    if movable is None:
        direct, contents = [*direct, *contents], []
    for group in (contents, direct):
        usable = [each for each in group if not (movable and each.items <= container)]
        if sliced and any(each.types & set(SLICEABLE) for each in usable):
            usable = [each for each in usable if not each.types <= _KNIVES]
        if usable:
            return _together(usable)
    return None if not direct else _together(direct)


def _together(mentions: Sequence[Mention]) -> Mention:
    """The first of some, which may mean all that they mean."""
    first = mentions[0]
    types = frozenset().union(*(each.types & ITEMS for each in mentions))
    return Mention(types, first.start, first.end, first.plural, first.words)


# --- The clauses of a command, and what part each thing plays in its clause

_STOPS = frozenset(".,;:!?")
_OBJECTS = frozenset({"a", "an", "the", "it", "them", "this", "that", "your", "my", "two", "both"})
"""Words with which the object of a verb begins."""
_REACH = 7
"""How many words back a preposition is looked for."""


class Role(Enum):
    """What a thing is to the clause that mentions it."""

    DIRECT = "direct"
    """What the verb is about."""
    PLACE = "place"
    """In, on, or to it."""
    SOURCE = "source"
    """From it."""
    LANDMARK = "landmark"
    """The place next to it, or part of it."""
    CONTENT = "content"
    """With it: a cup with a fork."""


@dataclass(frozen=True, slots=True)
class Part:
    """A mention, and what part it plays."""

    mention: Mention
    role: Role


@dataclass(frozen=True, slots=True)
class Clause:
    """Words from one verb to the next.

    Attributes:
        act: what its verb does; None without a verb.
        tokens: its words.
        parts: what it mentions, in order.
        adverbs: whether "away" or "out" goes with the verb ("throw out an apple").
    """

    act: Act | None
    tokens: tuple[str, ...]
    parts: tuple[Part, ...]
    adverbs: bool


def clauses_of(tokens: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses of a command."""
    return tuple(_clause(tuple(tokens[start:end])) for start, end in _spans(tokens))


def _spans(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where clauses begin and end: at stops, at "and", "then" and the like before a verb, and at
    "to" before a verb and its object."""
    start = 0
    for at, word in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        linked = word in LINKS and (following in VERBS or following in LINKS)
        aims = word == "to" and following in BASES and set(tokens[at + 2 : at + 3]) & _OBJECTS
        ends = word in _STOPS or linked or bool(aims)
        if ends:
            if at > start:
                yield start, at
            start = at + 1
    if start < len(tokens):
        yield start, len(tokens)


def _clause(tokens: tuple[str, ...]) -> Clause:
    mentions = mentions_of(tokens)
    inside = {at for each in mentions for at in range(each.start, each.end)}
    verbs = [at for at, token in enumerate(tokens) if token in VERBS and at not in inside]
    orders = [at for at in verbs if tokens[at] in BASES or tokens[at].endswith("ing")]
    verb = next(iter(orders or verbs), None)
    act = None if verb is None else VERBS[tokens[verb]]
    parts = tuple(Part(each, _role(tokens, each, mentions, act)) for each in mentions)
    return Clause(act, tokens, parts, bool({"away", "out"} & set(tokens)))


def _role(
    tokens: Sequence[str], mention: Mention, mentions: Sequence[Mention], act: Act | None
) -> Role:
    """The part a mention plays: the nearest word before it that shows its role."""
    ends = {each.end: each for each in mentions if each is not mention}
    found = Role.DIRECT
    for at in range(mention.start - 1, max(-1, mention.start - 1 - _REACH), -1):
        if at + 1 in ends and tokens[at + 1] == "and":
            return _role(tokens, ends[at + 1], mentions, act)
        if at + 1 in ends and tokens[at + 1] != "of":
            return found
        stated_role = _stated_role(tokens, at, act)
        if stated_role is not None:
            return stated_role
        if tokens[at] == "of" and at and tokens[at - 1] in PARTS:
            found = Role.PLACE
    return found


def _stated_role(tokens: Sequence[str], at: int, act: Act | None) -> Role | None:
    """The part that a word gives to what follows; None: look further back."""
    word, earlier = tokens[at], tokens[at - 1] if at else ""
    if word == "of":
        return _of_role(earlier)
    if word == "to" and earlier in NEARBY_TO:
        return Role.LANDMARK
    if word in CONTAINING:
        return Role.CONTENT
    if word in LEAVING:
        counts_up = earlier in ORDINALS or (word == "off" and earlier in STATES)
        return None if counts_up else Role.SOURCE
    if word == "at" and act is Act.LOOK:
        return Role.DIRECT
    if word in PLACING:
        return Role.SOURCE if act is Act.TAKE and word != "to" else Role.PLACE
    if word in BESIDE:
        return Role.LANDMARK
    return Role.DIRECT if word in BASES and VERBS[word] is act else None


def _of_role(before: str) -> Role | None:
    """The role that "… of" gives to the thing after it; None if the role does not change."""
    if before == "out":
        return Role.SOURCE
    passes = before in CONTENT_OF or before.rstrip("s") in CONTENT_OF or before in PARTS
    return None if passes else Role.LANDMARK


def is_movable(mention: Mention) -> bool:
    """Whether things can be put in or on it and go along."""
    return bool(mention.types & MOVABLES)


# --- A command as words, and the things that it mentions

_TOKEN = re.compile(r"[a-z0-9]+|[.,;:!?]")
_IRREGULAR = {
    "knives": "knife",
    "knifes": "knife",
    "shelves": "shelf",
    "loaves": "loaf",
    "leaves": "leaf",
    "shelve": "shelf",
}
_NO_PLURALS = frozenset({"glass", "gas", "this", "is", "its", "us", "always", "across", "lens"})
_LONGEST = max(len(phrase) for phrase in NOUNS)
_BEFORE_NOUN = frozenset(
    {"a", "an", "the", "two", "both", "one", "some", "your", "my", "our", "it"}
)
_ALSO_VERBS = frozenset({"trash", "box", "bin", "microwave", "light", "can", "watch", "hanger"})
"""Nouns that are orders where they begin a clause and an article follows."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words `start` up to `end` that may mean each of some types.

    Attributes:
        plural: whether one of the words is a plural.
        words: as they stand in the command.
    """

    types: frozenset[str]
    start: int
    end: int
    plural: bool
    words: str

    @property
    def is_place(self) -> bool:
        """Whether it can be a receptacle that stays where it is."""
        return bool(self.types & PLACES)

    @property
    def is_lamp(self) -> bool:
        """Whether it is a lamp, or light."""
        return self.types <= LAMPS

    @property
    def items(self) -> frozenset[str]:
        """Those of its types that can be carried."""
        return self.types - PLACES - LAMPS - TOOLS


def tokens_of(text: str) -> tuple[str, ...]:
    """The words and stops of a text, in lower case, without any 's."""
    plain = text.lower().replace("’", "'").replace("‘", "'")
    return tuple(_TOKEN.findall(re.sub(r"(?<=\w)'s?\b", "", plain)))


def singular(word: str) -> str:
    """The singular of a noun; of anything else, whatever comes out."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _NO_PLURALS or len(word) < 3 or not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(x|ch|sh|ss|o)es$", word):
        return word[:-2]
    return word[:-1]


def mentions_of(tokens: Sequence[str]) -> tuple[Mention, ...]:
    """The nouns of a text: the longest phrases, and of nouns side by side the last, which is what
    a compound is ("glass bowl"), or what both can be ("floor lamp light")."""
    found: list[Mention] = []
    at = 0
    while at < len(tokens):
        mention = None if _orders(tokens, at) else _longest(tokens, at)
        if mention is None:
            at += 1
            continue
        if found and found[-1].end == mention.start:
            mention = _joined(found.pop(), mention)
        found.append(mention)
        at = mention.end
    return tuple(found)


def _longest(tokens: Sequence[str], at: int) -> Mention | None:
    """The longest noun phrase that begins at a word."""
    for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
        said = tokens[at : at + length]
        bare = tuple(singular(each) for each in said)
        types = NOUNS.get(bare) or NOUNS.get(tuple(said))
        if types is not None:
            plural = NOUNS.get(tuple(said)) is None and bare != tuple(said)
            return Mention(types, at, at + length, plural, " ".join(said))
    return None


def _joined(first: Mention, second: Mention) -> Mention:
    shared = first.types & second.types
    return Mention(
        shared or second.types,
        first.start,
        second.end,
        second.plural,
        f"{first.words} {second.words}",
    )


def _orders(tokens: Sequence[str], at: int) -> bool:
    """Whether a word that is also a noun gives an order here."""
    if tokens[at] not in _ALSO_VERBS | BASES or at + 1 >= len(tokens):
        return False
    begins = at == 0 or tokens[at - 1] in LINKS | {"to", "please", ",", ".", ";"}
    return begins and tokens[at + 1] in _BEFORE_NOUN
