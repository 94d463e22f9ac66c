"""Which words mean which categories, and what a free name says: what is named, which one, where it
is and how it is (docs/actplan-parsing.md).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files

from env_service.suites.actplan.plans.verbs import one_off
from env_service.worlds.activity.bddl.problem import AGENT, Problem
from env_service.worlds.activity.categories import Trait, is_known, lemma_of, traits_of

_WORDS = tomllib.loads(files(__package__).joinpath("names.toml").read_text(encoding="utf-8"))
ROOMS: Mapping[str, str] = _WORDS["rooms"]
"""Words for rooms, as BDDL's ``inroom`` names them."""
STATES: Mapping[str, str] = _WORDS["states"]
"""Words for states, as this package calls them."""

_IGNORED: frozenset[str] = frozenset(_WORDS["ignored"])
_ORDINALS: Mapping[str, int] = _WORDS["ordinals"]
_RELATIONS: Mapping[str, str] = _WORDS["relations"]
_IRREGULAR: Mapping[str, str] = _WORDS["singulars"]
_EACH: frozenset[str] = frozenset(_WORDS["each"])
_CARDINALS: Mapping[str, int] = _WORDS["cardinals"]
_LONGEST_RELATION = 3
_LETTERS = "abcdefgh"
_PARTS = re.compile(r"[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Hint:
    """Where a thing is, or what is in it: "nextto", "under", "on", "in", "at", "from", "with",
    "for", and words for a thing."""

    relation: str
    words: tuple[str, ...]

    @property
    def index(self) -> int:
        """Which one the place is, from 1; 0: not said."""
        return _take_index(list(self.words))[0]


@dataclass(frozen=True, slots=True)
class Name:
    """A name, taken apart. Words are in lower case and singular.

    Attributes:
        text: the whole of it, normalised: names that differ in spelling alone have equal texts.
        words: what is named.
        index: which one, from 1; 0: not said.
        rooms: as ``inroom`` names them.
        states: as values of `STATES`.
        hints: where it is, or what is in it.
        place: "nextto" or "under" where the name is that of a place at what ``words`` name; else
            empty.
        plural: it names several.
        count: how many it names, from 2; 0: not said.
        room: the room that the whole name means, if it means one; its words are in ``words`` all
            the same.
    """

    text: str
    words: tuple[str, ...]
    index: int = 0
    rooms: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    place: str = ""
    plural: bool = False
    count: int = 0
    room: str = ""

    @property
    def bare(self) -> bool:
        """Whether it is a noun that says nothing of which one."""
        return not (self.index or self.rooms or self.states or self.hints or self.place)


@lru_cache(maxsize=8192)
def parse_name(text: str) -> Name:
    """Takes a name apart. Any text will do; one without letters names nothing."""
    tokens = _PARTS.findall(text.lower().replace("'s", "").replace("’s", ""))[:24]
    normal = "_".join(map(singular, tokens))
    place, start = _relation_at(tokens, 0)
    head_end, hints = _hints(tokens, start)
    head = tokens[start:head_end]
    if not head and not hints:
        return Name(normal, ())
    rooms, head = _take_rooms(head)
    count, head = _take_count(head)
    index, head = _take_index(head)
    unnumbered = not index and not count
    if unnumbered and hints and len(hints[-1].words) > 1 and hints[-1].words[-1].isdigit():
        index = int(hints[-1].words[-1][:6])
    states = tuple(STATES[each] for each in map(singular, head) if each in STATES)
    plain = [each for each in head if singular(each) not in STATES]
    telling = [each for each in plain if singular(each) not in _IGNORED]
    words = telling or plain or head or tokens[start:head_end]
    room = rooms[0] if rooms and not telling and not place and not hints else ""
    for hint in hints:
        rooms = (*rooms, *_take_rooms(list(hint.words))[0])
    return Name(
        normal,
        tuple(map(singular, words)),
        index,
        rooms,
        states,
        hints,
        place if place in ("nextto", "under") else "",
        bool(count) or not _EACH.isdisjoint(head) or _is_plural(words),
        count,
        room,
    )


def singular(word: str) -> str:
    """A word's singular, as far as simple rules go; the same word where it has none."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "toes", "zes")):
        return word[:-2]
    return word[:-1]


def _relation_at(tokens: list[str], start: int) -> tuple[str, int]:
    """The relation whose words stand there, and where they end; ("", start): none does."""
    for length in range(_LONGEST_RELATION, 0, -1):
        words = " ".join(tokens[start : start + length])
        if words in _RELATIONS and start + length < len(tokens) + (start > 0):
            return _RELATIONS[words], start + length
    return "", start


def _hints(tokens: list[str], start: int) -> tuple[int, tuple[Hint, ...]]:
    """Where the head ends, and the hints after it."""
    cuts: list[tuple[int, int, str]] = []
    position = start + 1
    while position < len(tokens):
        relation, end = _relation_at(tokens, position)
        if end > position and end < len(tokens):
            cuts.append((position, end, relation))
        position = max(end, position + 1)
    ends = [*(cut[0] for cut in cuts[1:]), len(tokens)]
    hints = tuple(
        Hint(relation, tuple(singular(each) for each in tokens[end:until]))
        for (_, end, relation), until in zip(cuts, ends, strict=False)
        if relation != "far"
    )
    return (cuts[0][0] if cuts else len(tokens)), hints


def _take_rooms(tokens: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The rooms that words name, and the words without them. A name that is all room keeps it."""
    rooms, rest, position = [], [], 0
    while position < len(tokens):
        two = " ".join(tokens[position : position + 2])
        length = 2 if two in ROOMS else 1
        words = " ".join(tokens[position : position + length])
        if words in ROOMS:
            rooms.append(ROOMS[words])
        else:
            rest.append(tokens[position])
        position += length
    return tuple(rooms), rest


def _is_plural(words: Sequence[str]) -> bool:
    return any(singular(each) != each for each in words[-1:])


def _take_count(tokens: list[str]) -> tuple[int, list[str]]:
    """The count that words give, and the words without it: "two plates" is a count, not plate 2,
    and "pair of socks" is two."""
    if len(tokens) < 2 or not _is_plural(tokens):
        return 0, tokens
    first = tokens[0]
    count = int(first[:6]) if first.isdigit() else _CARDINALS.get(first, 0)
    return (count, tokens[1:]) if count > 1 else (0, tokens)


def _take_index(tokens: list[str]) -> tuple[int, list[str]]:
    """Which one words say, and the words without that: numbers, letters, ordinals."""
    if len(tokens) < 2:
        return 0, tokens
    numbers = [each for each in tokens if each.isdigit()]
    if numbers:
        index = int(numbers[-1][:6])
        return index, [each for each in tokens if not each.isdigit()]
    if tokens[-1] in _LETTERS and len(tokens[-1]) == 1:
        return _LETTERS.index(tokens[-1]) + 1, tokens[:-1]
    for place, token in enumerate(tokens):
        if token in _ORDINALS:
            return _ORDINALS[token], tokens[:place] + tokens[place + 1 :]
    return 0, tokens


# --- Words and categories


_EXACT, _SYNONYM, _HEAD, _TYPO = 4.0, 3.4, 2.6, 1.0
"""How well words fit: a category's own name, a synonym, its name's last word, a typing error."""
_LATER_SYNONYM = 0.1
_PER_WORD, _LAST_WORD = 0.4, 0.3
"""More words fit better, and the last word of a name, its head noun, better than others."""
_ROLE = 1.2
"""What is carried is rather a thing that can be; what things are put in is rather not, if that is
the name's head noun: "sock_sofa" is a sofa there, and "floor_sweater" a sweater."""
_SHORTEST_TYPO = 5
"""Of shorter words, one letter apart, too many are other things: "rack" and "sack"."""
_LEFT_OVER, _HEAD_LEFT_OVER = 0.8, 0.5
"""What is left of a fit for every word of a name that the match leaves over, and for its head noun:
of "cereal box" the cereal is half a match."""


class Role(Enum):
    """What a step does with a thing, as far as that limits what it may be."""

    ITEM = "item"
    """It is carried."""
    TARGET = "target"
    """Things are put there, or somebody walks there."""


@dataclass(frozen=True, slots=True)
class Match:
    """A category that words mean.

    Attributes:
        exact: the words are exactly its name.
        plain: its name, or a synonym, is among the words.
        fit: how well the words fit, 0 … 1; 1: they are its name.
        incidental: the words are part of another thing's name, and tell at most where that is.
    """

    category: str
    exact: bool
    plain: bool = False
    fit: float = 1.0
    incidental: bool = False


Phrases = Mapping[tuple[str, ...], tuple[tuple[str, float], ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases, in singular words, to categories and how well each fits."""

    phrases: Phrases
    found: dict[tuple[tuple[str, ...], Role], tuple[Match, ...]]

    def look_up(self, words: tuple[str, ...], role: Role) -> Match | None:
        """The category that words mean; None: none of these."""
        return next((each for each in self.all(words, role) if not each.incidental), None)

    def all(self, words: tuple[str, ...], role: Role) -> tuple[Match, ...]:
        """The categories that words may mean, the likeliest first."""
        key = (words, role)
        if key not in self.found:
            if len(self.found) > _MOST_FOUND:
                self.found.clear()
            self.found[key] = tuple(self._search(words, role))
        return self.found[key]

    def _search(self, words: tuple[str, ...], role: Role) -> Iterator[Match]:
        scores: dict[str, tuple[float, Match]] = {}
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                extra = _PER_WORD * (end - start) + _LAST_WORD * (end == len(words))
                incidental = _is_others(words, start, end)
                for category, quality in self._fits(words[start:end]):
                    suits = _suits(category, role) and (role is Role.ITEM or end == len(words))
                    score = quality + extra + _ROLE * suits
                    if category in scores and scores[category][0] >= score:
                        continue
                    exact = end - start == len(words) and quality == _EXACT
                    fit = _fit(words, start, end, quality)
                    scores[category] = score, Match(category, exact, fit=fit, incidental=incidental)
        for score, match in sorted(scores.values(), key=lambda each: -each[0]):
            yield replace(match, plain=score >= _SYNONYM - 1.0)

    def _fits(self, words: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
        if words in self.phrases or len(words) > 1:
            return self.phrases.get(words, ())
        if len(words[0]) < _SHORTEST_TYPO or _is_word(words[0]):
            return ()
        return tuple(
            (category, _TYPO)
            for known, categories in self.phrases.items()
            if len(known) == 1 and one_off(words[0], known[0])
            for category, quality in categories
            if quality == _EXACT
        )


_MOST_FOUND = 4096


@lru_cache(maxsize=256)
def lexicon_of(categories: tuple[str, ...]) -> Lexicon:
    """The lexicon of a definition with these categories."""
    lemmas: dict[str, list[str]] = {}
    for category in categories:
        lemmas.setdefault(lemma_of(category), []).append(category)
    phrases: dict[tuple[str, ...], dict[str, float]] = {}
    for lemma, same in lemmas.items():
        words = tuple(map(singular, lemma.split("_")))
        for category in same:
            _note(phrases, words, category, _EXACT)
            if len(words) > 1:
                _note(phrases, words[-1:], category, _HEAD)
                _note(phrases, ("".join(words),), category, _EXACT)
    for phrase, meant in (*_table()["collectives"].items(), *_table()["words"].items()):
        for place, lemma in enumerate(meant):
            for category in lemmas.get(lemma, ()):
                quality = _SYNONYM - _LATER_SYNONYM * place
                _note(phrases, tuple(phrase.split("_")), category, quality)
    return Lexicon({words: tuple(fits.items()) for words, fits in phrases.items()}, {})


@lru_cache(maxsize=4096)
def fixture_of(words: tuple[str, ...]) -> str:
    """The lemma of the fixture, out of those that every home has, that words mean; empty: none."""
    fixtures = _fixtures()
    for start in range(len(words)):
        phrase = "_".join(words[start:])
        if phrase in fixtures:
            return fixtures[phrase]
    return next((fixtures[each] for each in reversed(words) if each in fixtures), "")


def is_fixture(category: str) -> bool:
    """Whether every home has such things, whatever a definition lists."""
    return lemma_of(category) in _fixtures().values()


def members_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The lemmas of all kinds of things that a collective noun covers: "silverware" is spoons,
    forks and knives. Empty if the words are not a collective noun."""
    return tuple(_table()["collectives"].get("_".join(words), ()))


def is_nothing(words: tuple[str, ...], kind: str) -> bool:
    """Whether words name something that does not exist by itself: "dirt" or "water"."""
    meant = _table()["nothing"][kind]
    return bool(words) and ("_".join(words) in meant or all(each in meant for each in words))


def _is_others(words: tuple[str, ...], start: int, end: int) -> bool:
    """Whether part of a name belongs to a word for another thing: the soup of "soup ladle", the
    dish of "dish rack", the bread of "bread knife".

    A package means its contents ("cereal box"); a thing with its place ("sock sofa") or with a part
    ("cabinet door") means the thing.
    """
    rest = words[end:]
    if not rest:
        return False
    for first in range(start + 1):
        for last in range(end + 1, len(words) + 1):
            if _is_word("_".join(words[first:last])):
                return True
    if any(each in _table()["packages"]["words"] for each in rest):
        return False
    return _is_word(rest[-1]) and Trait.MOVABLE in traits_of(_meant_by(rest[-1]))


def _fit(words: tuple[str, ...], start: int, end: int, quality: float) -> float:
    """How well a part of a name fits a category, 0 … 1."""
    left_over = len(words) - (end - start)
    headless = end < len(words)
    share = _LEFT_OVER ** (left_over - headless) * (_HEAD_LEFT_OVER if headless else 1.0)
    return quality / _EXACT * share


def _is_word(word: str) -> bool:
    """Whether a word, or several with underscores, is the name of some thing, here or elsewhere."""
    return is_known(word) or word in _fixtures() or word in _all_words()


def _meant_by(word: str) -> str:
    """The lemma that a word means in the first place."""
    return next(iter(_table()["words"].get(word, ())), word)


def _suits(category: str, role: Role) -> bool:
    return (Trait.MOVABLE in traits_of(category)) == (role is Role.ITEM)


def _note(
    phrases: dict[tuple[str, ...], dict[str, float]],
    words: tuple[str, ...],
    category: str,
    quality: float,
) -> None:
    fits = phrases.setdefault(words, {})
    fits[category] = max(fits.get(category, 0.0), quality)


@cache
def _fixtures() -> Mapping[str, str]:
    return {word: lemma for lemma, words in _table()["fixtures"].items() for word in words}


@cache
def _all_words() -> frozenset[str]:
    return frozenset((*_table()["words"], *_table()["collectives"]))


@cache
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    text = files(__package__).joinpath("synonyms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


# --- What an activity's definition says of its things, arranged for matching names to them

_SUPPORTS = ("inside", "ontop", "onfloor", "under")


@dataclass(frozen=True, slots=True)
class ThingCatalog:
    """One activity's things at the opening.

    Attributes:
        problem: the definition.
        instances: category to its instances, in the order of declaration; the agent is none.
        rooms: instance to its room, of everything of which that is known.
        supports: instance to what it is in or on.
        states: instance to the predicates of one term that hold of it.
        contents: instance to the categories of what is in or on it.
        lexicon: which words mean which of its categories.
    """

    problem: Problem
    instances: Mapping[str, tuple[str, ...]]
    rooms: Mapping[str, str]
    supports: Mapping[str, str]
    states: Mapping[str, frozenset[str]]
    contents: Mapping[str, frozenset[str]]
    lexicon: Lexicon

    def has(self, category: str, trait: Trait) -> bool:
        """Whether things of a category have a trait."""
        return trait in traits_of(category)

    def movable(self, category: str) -> bool:
        """Whether things of a category can be carried."""
        return Trait.MOVABLE in traits_of(category)

    def around(self, instance: str) -> Iterator[str]:
        """What a thing is in or on, what that is in or on, and so forth."""
        seen = set()
        while instance in self.supports and instance not in seen:
            seen.add(instance)
            instance = self.supports[instance]
            yield instance


def catalog_of(problem: Problem) -> ThingCatalog:
    """The catalog of a definition; the same object for the same definition, while it is one of the
    last few."""
    known = _LAST.get(id(problem))
    if known is not None and known.problem is problem:
        return known
    catalog = _build_catalog(problem)
    while len(_LAST) >= _MOST:
        _LAST.pop(next(iter(_LAST)), None)
    _LAST[id(problem)] = catalog
    return catalog


_MOST = 256
_LAST: dict[int, ThingCatalog] = {}


def _build_catalog(problem: Problem) -> ThingCatalog:
    instances: dict[str, list[str]] = {}
    for name, category in problem.objects.items():
        if category != AGENT:
            instances.setdefault(category, []).append(name)
    supports: dict[str, str] = {}
    states: dict[str, set[str]] = {}
    stated: dict[str, str] = {}
    for literal in problem.init:
        terms = literal.atom.terms
        if not literal.positive:
            continue
        if literal.atom.predicate == "inroom":
            stated[terms[0]] = terms[1]
        elif len(terms) == 1:
            states.setdefault(terms[0], set()).add(literal.atom.predicate)
        elif len(terms) == 2 and literal.atom.predicate in _SUPPORTS:
            supports.setdefault(terms[0], terms[1])
    rooms = {name: _room(name, stated, supports) for name in problem.objects}
    contents: dict[str, set[str]] = {}
    for name, holder in supports.items():
        contents.setdefault(holder, set()).add(problem.objects.get(name, ""))
    return ThingCatalog(
        problem,
        {category: tuple(names) for category, names in instances.items()},
        {name: room for name, room in rooms.items() if room},
        supports,
        {name: frozenset(facts) for name, facts in states.items()},
        {name: frozenset(kinds) for name, kinds in contents.items()},
        lexicon_of(tuple(instances)),
    )


def _room(name: str, stated: Mapping[str, str], supports: Mapping[str, str]) -> str:
    for _ in range(len(supports) + 1):
        if name in stated:
            return stated[name]
        if name not in supports:
            return ""
        name = supports[name]
    return ""
