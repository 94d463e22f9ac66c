"""The observations of an environment, and its text spaces."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.vector.utils import create_shared_memory

from ..enums import Channel, ImageRole
from ..episode import Episode
from ..observation import Image, Observation

INSTRUCTION = 2048
"""The maximum number of characters of an instruction."""

TEXT = 16_384
"""The maximum number of characters of an observation's text: the text of the largest BabyAI level
has about 3,000."""


class Observations:
    """The observation space of a lease, made after the opening of an episode.

    A Dict of ``instruction`` (Text); ``image`` (uint8 [H, W, 3]), the current colour picture, if
    the lease grants one; and ``text`` (Text), if it grants texts.
    """

    def __init__(self, episode: Episode, *, texts: bool) -> None:
        """``texts``: whether texts are granted."""
        self._texts = texts
        self._shape: tuple[int, int, int] | None = None
        parts: dict[str, spaces.Space[Any]] = {"instruction": Words(INSTRUCTION)}
        if (image := _picture(episode.observation)) is not None:
            self._shape = (image.height, image.width, 3)
            parts["image"] = spaces.Box(0, 255, self._shape, np.uint8)
        if texts:
            parts["text"] = Words(TEXT)
        self.space = spaces.Dict(parts)

    @property
    def pictured(self) -> bool:
        """Whether observations have an ``image``."""
        return self._shape is not None

    def read(self, episode: Episode) -> dict[str, Any]:
        """The newest observation as an element of the space, with copied arrays."""
        shown: dict[str, Any] = {"instruction": fit(episode.instruction, INSTRUCTION)}
        if self._shape is not None:
            shown["image"] = self.picture(episode)
        if self._texts:
            shown["text"] = fit(episode.observation.text, TEXT)
        return shown

    def picture(self, episode: Episode) -> npt.NDArray[np.uint8]:
        """A copy of the newest colour picture, uint8 [H, W, 3]."""
        image = _picture(episode.observation)
        if image is None or self._shape is None:
            raise ValueError("this lease grants no colour picture")
        return np.array(image.pixels, np.uint8)


def _picture(observation: Observation) -> Image | None:
    for image in observation.images:
        if image.channel is Channel.RGB and image.role is ImageRole.CURRENT:
            return image
    return None


# --- Text spaces

CHARSET = "".join(["\n", *map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180)), *"–—‘’“”…→"])
"""Every character that a text may contain: ASCII, Latin, and common punctuation."""

_KNOWN = frozenset(CHARSET)


class Words(Text):
    """Texts of CHARSET with at most ``longest`` characters, including the empty one."""

    def __init__(self, longest: int) -> None:
        super().__init__(longest, min_length=0, charset=_KNOWN)


@create_shared_memory.register(Words)
def _refuse_shared_memory(_space: Words, n: int = 1, ctx: Any = None) -> NoReturn:
    """Gymnasium 1.4 reads shared texts only once, when AsyncVectorEnv is made, and returns them
    for ever. An error that names the solution is better."""
    del n, ctx
    raise CustomSpaceError("texts cannot be shared: pass shared_memory=False")


def fit(text: str, longest: int) -> str:
    """The text as an element of that space: a question mark replaces each unknown character, and
    a text that is too long is cut."""
    if not _KNOWN.issuperset(text):
        text = "".join(each if each in _KNOWN else "?" for each in text)
    return text[:longest]
