"""A command as words, and the things that it mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from env_service.suites.alfred.judging.lexicon_nouns import LAMPS, NOUNS, PLACES, TOOLS
from env_service.suites.alfred.judging.lexicon_verbs import BASES, LINKS

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
