"""The clauses of a command, and what part each thing plays in its clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from env_service.suites.alfred.judging.lexicon_nouns import MOVABLES
from env_service.suites.alfred.judging.lexicon_tokens import Mention, mentions_of
from env_service.suites.alfred.judging.lexicon_verbs import (
    BASES,
    BESIDE,
    CONTAINING,
    CONTENT_OF,
    LEAVING,
    LINKS,
    NEARBY_TO,
    ORDINALS,
    PARTS,
    PLACING,
    STATES,
    VERBS,
    Act,
)

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
    """Beside it, or part of it."""
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
    """The part a mention plays: the nearest word before it that tells."""
    ends = {each.end: each for each in mentions if each is not mention}
    found = Role.DIRECT
    for at in range(mention.start - 1, max(-1, mention.start - 1 - _REACH), -1):
        if at + 1 in ends and tokens[at + 1] == "and":
            return _role(tokens, ends[at + 1], mentions, act)
        if at + 1 in ends and tokens[at + 1] != "of":
            return found
        told = _told(tokens, at, act)
        if told is not None:
            return told
        if tokens[at] == "of" and at and tokens[at - 1] in PARTS:
            found = Role.PLACE
    return found


def _told(tokens: Sequence[str], at: int, act: Act | None) -> Role | None:
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
    """What "… of the thing" makes of the thing; None for what it leaves as it is."""
    if before == "out":
        return Role.SOURCE
    passes = before in CONTENT_OF or before.rstrip("s") in CONTENT_OF or before in PARTS
    return None if passes else Role.LANDMARK


def is_movable(mention: Mention) -> bool:
    """Whether things can be put in or on it and go along."""
    return bool(mention.types & MOVABLES)
