"""The mapping between an environment's actions and the service's."""

from __future__ import annotations

from itertools import product
from typing import Any, Protocol

from gymnasium.spaces import Discrete, Space

from ..action import Action, ActionSpace, Skill, SkillCall, Text
from ..errors import SetupError
from .spaces import Words

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
            raise ValueError(f"there is no action {skill} {arguments}") from None


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
