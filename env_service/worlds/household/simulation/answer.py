"""What the simulator answers to an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import HouseState


@dataclass(frozen=True)
class Answer:
    """The outcome of one action, with the state and settings it left.

    Attributes:
        action: its name, as AI2-THOR's lastAction.
        state: afterwards; the very state before if it was refused.
        settings: afterwards.
        error, code: AI2-THOR's text and error code of a refusal; "" and None for success.
        value: AI2-THOR's actionReturn.
        quick: whether AI2-THOR answers with a metadata patch: nothing that can be seen changed.
        collided: ids of what the agent ran into.
        picture: whether the caller wants pictures with this answer.
    """

    action: str
    state: HouseState
    settings: Settings
    error: str = ""
    code: ErrorCode | None = None
    value: Any = None
    quick: bool = False
    collided: tuple[str, ...] = ()
    picture: bool = True

    @property
    def success(self) -> bool:
        """Whether the action was carried out."""
        return not self.error
