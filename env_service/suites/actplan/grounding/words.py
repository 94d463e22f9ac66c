"""Which words mean which categories (spec: actplan.md section 3.2, step 2)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files

from env_service.suites.actplan.grounding.naming import singular
from env_service.suites.actplan.plans.spelling import one_off
from env_service.worlds.activity.categories import Trait, lemma_of, traits_of

_EXACT, _SYNONYM, _HEAD, _TYPO = 4.0, 3.4, 2.6, 1.0
"""How well words fit: a category's own name, a synonym, its name's last word, a typing error."""
_LATER_SYNONYM = 0.1
_PER_WORD, _LAST_WORD = 0.4, 0.3
"""More words fit better, and the last word of a name, its head noun, better than others."""
_ROLE = 1.2
"""What is carried is rather a thing that can be; what things are put in is rather not, if that is
the name's head noun: "sock_sofa" is a sofa there, and "floor_sweater" a sweater."""
_SHORTEST_TYPO = 3


class Role(Enum):
    """What a step does with a thing, as far as that tells what it may be."""

    ITEM = "item"
    """It is carried."""
    TARGET = "target"
    """Things are put there, or somebody walks there."""


@dataclass(frozen=True, slots=True)
class Match:
    """A category that words mean.

    Attributes:
        exact: the words are exactly its name.
        plain: its own name, or a synonym, is among the words.
    """

    category: str
    exact: bool
    plain: bool = False


Phrases = Mapping[tuple[str, ...], tuple[tuple[str, float], ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases, in singular words, to categories and how well each fits."""

    phrases: Phrases
    found: dict[tuple[tuple[str, ...], Role], tuple[Match, ...]]

    def look_up(self, words: tuple[str, ...], role: Role) -> Match | None:
        """The category that words mean; None: none of these."""
        found = self.all(words, role)
        return found[0] if found else None

    def all(self, words: tuple[str, ...], role: Role) -> tuple[Match, ...]:
        """The categories that words may mean, the likeliest first."""
        key = (words, role)
        if key not in self.found:
            if len(self.found) > _MOST_FOUND:
                self.found.clear()
            self.found[key] = tuple(self._search(words, role))
        return self.found[key]

    def _search(self, words: tuple[str, ...], role: Role) -> Iterator[Match]:
        scores: dict[str, tuple[float, bool]] = {}
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                extra = _PER_WORD * (end - start) + _LAST_WORD * (end == len(words))
                whole = end - start == len(words)
                for category, quality in self._fits(words[start:end]):
                    suits = _suits(category, role) and (role is Role.ITEM or end == len(words))
                    score = quality + extra + _ROLE * suits
                    exact = whole and quality == _EXACT
                    scores[category] = max(scores.get(category, (0.0, False)), (score, exact))
        for category in sorted(scores, key=lambda each: -scores[each][0]):
            score, exact = scores[category]
            yield Match(category, exact, score >= _SYNONYM - 1.0)

    def _fits(self, words: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
        if words in self.phrases or len(words) > 1 or len(words[0]) < _SHORTEST_TYPO:
            return self.phrases.get(words, ())
        return tuple(
            (category, _TYPO)
            for known, categories in self.phrases.items()
            if len(known) == 1 and len(known[0]) > _SHORTEST_TYPO and one_off(words[0], known[0])
            for category, quality in categories
            if quality == _EXACT
        )


_MOST_FOUND = 4096


@lru_cache(maxsize=256)
def lexicon_of(categories: tuple[str, ...]) -> Lexicon:
    """The lexicon of a home with these categories."""
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
    for phrase, meant in _table()["words"].items():
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


def is_nothing(words: tuple[str, ...], kind: str) -> bool:
    """Whether words name what is no thing by itself: "dirt" or "water"."""
    meant = _table()["nothing"][kind]
    return bool(words) and ("_".join(words) in meant or all(each in meant for each in words))


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
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    text = files(__package__).joinpath("synonyms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
