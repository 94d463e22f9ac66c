"""The observations and actions of an environment, and their spaces."""

from __future__ import annotations

from itertools import product
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Discrete, Space
from gymnasium.vector.utils import create_shared_memory

from ..action import Action, ActionSpace, Skill, SkillCall, Text
from ..enums import Channel, ImageRole
from ..episode import Episode
from ..errors import SetupError
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


class Words(spaces.Text):
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


# --- Actions: the mapping between an environment's actions and the service's

LONGEST = 4096
"""The maximum number of characters of a text action."""

_MOST = 1_000_000
"""The maximum number of calls in a Discrete space."""


class Actions(Protocol):
    """A space of actions, and the service's action for each element."""

    @property
    def space(self) -> Space[Any]:
        """The environment's action space."""

    def read(self, action: Any) -> Action:
        """The action to send. Raises ValueError for an element that is not in the space."""

    def describe(self, action: Any) -> str:
        """The action as text."""


class DiscreteActions:
    """Every call of every skill, by number: skills in the suite's order, and the calls of each in
    the order of its parameters' choices; the last parameter changes fastest."""

    def __init__(self, actions: ActionSpace) -> None:
        """Raises SetupError for a skill that takes free text, or for more than a million calls."""
        size = sum(map(_size, actions.skills))
        if size > _MOST:
            raise SetupError(f'The skills have {size} calls: use actions="text".')
        self.calls: tuple[SkillCall, ...] = tuple(
            call for skill in actions.skills for call in _calls(skill)
        )
        self._space = Discrete(len(self.calls))
        self._numbers = {_key(call): number for number, call in enumerate(self.calls)}

    @property
    def space(self) -> Space[Any]:
        """``Discrete(len(calls))``."""
        return self._space

    def read(self, action: Any) -> SkillCall:
        """The call of that number."""
        if not self._space.contains(action):
            raise ValueError(f"{action!r} is not an action of {self._space}")
        return self.calls[int(action)]

    def describe(self, action: Any) -> str:
        """The call as text, such as ``"forward"`` or ``"FIND Apple"``."""
        call = self.read(action)
        return " ".join([call.name, *call.arguments.values()])

    def number(self, skill: str, /, **arguments: str) -> int:
        """The number of this call. Raises ValueError if there is none."""
        try:
            return self._numbers[_key(SkillCall(skill, arguments))]
        except KeyError:
            raise ValueError(f"unknown action {skill} {arguments}") from None


class TextActions:
    """Text actions, which the service parses by the suite's rules."""

    def __init__(self) -> None:
        self._space = Words(LONGEST)

    @property
    def space(self) -> Space[Any]:
        """``Text`` of up to LONGEST characters."""
        return self._space

    def read(self, action: Any) -> Text:
        """The text as an action."""
        if not isinstance(action, str):
            raise ValueError(f"{action!r} is not a text")
        return Text(action)

    def describe(self, action: Any) -> str:
        """Themselves."""
        return self.read(action).text


def _size(skill: Skill) -> int:
    size = 1
    for parameter in skill.parameters:
        if not parameter.choices:
            raise SetupError(
                f"The skill {skill.name} accepts any text as its {parameter.name}, which a number"
                ' cannot represent: use actions="text".'
            )
        size *= len(parameter.choices)
    return size


def _calls(skill: Skill) -> list[SkillCall]:
    names = [parameter.name for parameter in skill.parameters]
    choices = [parameter.choices for parameter in skill.parameters]
    found = (dict(zip(names, each, strict=True)) for each in product(*choices))
    return [SkillCall(skill.name, arguments) for arguments in found]


def _key(call: SkillCall) -> tuple[str, frozenset[tuple[str, str]]]:
    return call.name, frozenset(call.arguments.items())
