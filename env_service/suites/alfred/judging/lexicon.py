"""Reads what a command in English asks for.

A dictionary and a few rules of word order; no model. It has to know the wordings of the refined
command sets and of other plain orders for one household task. What it cannot tell it leaves unsaid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from env_service.suites.alfred.judging.intent import NOTHING, Intent, Slot, State, Types
from env_service.suites.alfred.judging.lexicon_clauses import Clause, Part, Role, clauses_of
from env_service.suites.alfred.judging.lexicon_nouns import ITEMS, LAMPS, MOVABLES, PLACES
from env_service.suites.alfred.judging.lexicon_tokens import Mention, mentions_of, tokens_of
from env_service.suites.alfred.judging.lexicon_verbs import (
    GROUPS,
    MANY,
    SLICING,
    STATES,
    TWO,
    Act,
)
from env_service.suites.alfred.names import SLICEABLE

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
    """The changes of state; "for washing" tells a purpose, and a clean room is none."""
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
    """The place that stands without "in" or "on", if there is nothing better: under the coffee
    maker."""
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
