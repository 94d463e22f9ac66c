"""Korean nouns with the particles that their last sound asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_FIRST, _LAST = "가", "힣"
_FINALS = 28
"""Hangul syllables stand in Unicode in the order of their final consonants, of which there are 27
and none (Unicode Standard, section 3.12)."""
_RIEUL = 8
_SPOKEN: Mapping[str, int] = {"L": _RIEUL, "R": _RIEUL, "M": 16, "N": 4}
"""Latin letters whose Korean names end in a consonant: 엘, 알, 엠, 엔."""

_PAIRS: Mapping[str, tuple[str, str]] = {
    "을": ("을", "를"),
    "은": ("은", "는"),
    "이": ("이", "가"),
    "과": ("과", "와"),
    "으로": ("으로", "로"),
}
"""By its name: a particle after a final consonant, and after a vowel."""


@dataclass(frozen=True, slots=True)
class KoreanNoun:
    """A noun, or a phrase that ends in one. Formatted with a particle's name ("{:을}") it has the
    form of that particle which belongs to it; formatted with nothing it has none."""

    text: str

    def __format__(self, particle: str) -> str:
        return self.text + (particle_after(self.text, particle) if particle else "")


def particle_after(word: str, particle: str) -> str:
    """The form of a particle after a word: 을 or 를, 은 or 는, 이 or 가, 과 or 와, 으로 or 로.

    으로 is 로 also after ㄹ.

    Raises:
        ValueError: no such particle, or a word whose last sound is unknown.
    """
    if particle not in _PAIRS:
        raise ValueError(f"there is no particle {particle!r}; there are {', '.join(_PAIRS)}")
    after_consonant, after_vowel = _PAIRS[particle]
    final = _final(word)
    open_ended = final == 0 or (particle == "으로" and final == _RIEUL)
    return after_vowel if open_ended else after_consonant


def _final(word: str) -> int:
    """The number of the final consonant of the last syllable, 0 for none."""
    last = word[-1:]
    if last and _FIRST <= last <= _LAST:
        return (ord(last) - ord(_FIRST)) % _FINALS
    if last.isascii() and last.isalpha():
        return _SPOKEN.get(last.upper(), 0)
    raise ValueError(f"how does {word!r} end? It has to end in Hangul or a Latin letter")
