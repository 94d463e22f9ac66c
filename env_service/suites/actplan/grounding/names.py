"""What a free name says by itself: what is named, which one, where it is, how it is
(docs/actplan.md, How plans are parsed)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

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
    """How many words say that there are, and the words without that: "two plates" are no plate 2,
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
