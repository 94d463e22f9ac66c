"""Why the house refuses an action: the words, and what kind of reason it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from env_service.domain.outcome import OutcomeCode


class Reason(StrEnum):
    """The kind of precondition that failed, or what stood in the way of an action whose
    preconditions held.

    One for each sort of message in spec section 2.3, so that undoable actions can be counted by
    what the agent got wrong.
    """

    NO_SUCH_OBJECT = "no_such_object"
    """No object of the type is there (now)."""
    USED_BY_GOAL = "used_by_goal"
    """Every object of the type already serves a location goal."""
    NOT_VISIBLE = "not_visible"
    HAND_FULL = "hand_full"
    HAND_EMPTY = "hand_empty"
    TOOL_MISSING = "tool_missing"
    """The hand does not hold what the action takes: a knife, a sponge, the mug to drink from."""
    CONTAINER_CLOSED = "container_closed"
    DOOR_OPEN = "door_open"
    """What runs only behind a closed door has it open."""
    ALREADY_SO = "already_so"
    """It is already open, closed, on, off or sliced."""
    UNABLE = "unable"
    """Nothing of this type can be picked up, or opened."""
    INCOMPATIBLE = "incompatible"
    DIRTY = "dirty"
    EMPTY = "empty"
    """A vessel without liquid, a coffee machine without a mug, a burner without a pan."""
    WRONG_CONTENTS = "wrong_contents"
    """What it contains is in the way: food in a sink, a full mug in a coffee machine."""
    WRONG_PLACE = "wrong_place"
    """What is cleaned, sliced or cracked does not lie where that is done."""
    WATER_OFF = "water_off"
    NOT_SPRAYED = "not_sprayed"
    NO_ROOM = "no_room"
    """The preconditions held, but there is no room left for it."""
    OUT_OF_REACH = "out_of_reach"
    """The preconditions held, but no place was found to act from."""
    SIMULATOR = "simulator"
    """The preconditions held, but the simulator refused."""


PHYSICAL = frozenset({Reason.NO_ROOM, Reason.OUT_OF_REACH, Reason.SIMULATOR})
"""Reasons that are no precondition."""

PLACEHOLDER = "--"
"""The released code's message where no try came as far as the simulator (spec section 2.3)."""


class ErrorType(StrEnum):
    """The released code's types of error that the world itself finds (spec section 6.1)."""

    INVALID_OBJECT = "Invalid Object"
    UNDOABLE = "Undoable"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal. ``message`` has AI2-THOR's names in it, such as Mug_e7fad100; `history.plain`
    makes types of them."""

    reason: Reason
    message: str
    error_type: ErrorType = ErrorType.UNDOABLE

    @property
    def code(self) -> OutcomeCode:
        """The house's word for it."""
        if self.error_type is ErrorType.INVALID_OBJECT:
            return OutcomeCode.UNKNOWN_OBJECT
        if self.reason in PHYSICAL:
            return OutcomeCode.PHYSICALLY_BLOCKED
        return OutcomeCode.PRECONDITION_FAILED


class RefusedError(Exception):
    """Ends the attempt on one instance. ``final``: no other instance is worth a try."""

    def __init__(self, refusal: Refusal, *, final: bool = False) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
        self.final = final
