"""Spaces of words."""

from __future__ import annotations

from typing import Any, NoReturn

from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import create_shared_memory

CHARSET = "".join(["\n", *map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180)), *"–—‘’“”…→"])
"""Every character that a text may hold: ASCII, Latin, and common punctuation."""

_KNOWN = frozenset(CHARSET)


class Words(Text):
    """Texts of CHARSET with up to ``longest`` characters, the empty one too."""

    def __init__(self, longest: int) -> None:
        super().__init__(longest, min_length=0, charset=_KNOWN)


@create_shared_memory.register(Words)
def _refuse_shared_memory(_space: Words, n: int = 1, ctx: Any = None) -> NoReturn:
    """Gymnasium 1.4 reads shared texts once, when AsyncVectorEnv is made, and shows those for
    ever: better an error that names the way out."""
    del n, ctx
    raise CustomSpaceError("texts cannot be shared: pass shared_memory=False")


def fit(text: str, longest: int) -> str:
    """The text as an element of that space: a character that it lacks is a question mark, and
    what is too long is cut."""
    if not _KNOWN.issuperset(text):
        text = "".join(each if each in _KNOWN else "?" for each in text)
    return text[:longest]
