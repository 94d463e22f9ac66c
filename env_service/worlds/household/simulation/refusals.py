"""Why object actions are refused, in AI2-THOR's words.

The texts are those of AI2-THOR 5.0.0, also as ALFRED's recorded runs show them. AI2-THOR writes the
exception's name before some of them and a stack trace behind; this world leaves both out. None of
them has an error code, as in AI2-THOR, so none makes its controller raise ValueError. Those marked
"ours" have no known text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from env_service.worlds.household.simulation.action import ActionContext, Result, refuse

NOT_VISIBLE = "Target object not found within the specified visibility."
NOT_INTERACTABLE = (
    "Target object is visible but not interactable. "
    "It is likely obstructed by some clear object like glass."
)
NO_TARGET = "Give either objectId or both x and y."  # ours
OFF_PICTURE = "x/y must be in [0:1]"

HAND_FULL = "Agent hand has something in it already! Can't pick up anything else"
HAND_EMPTY_PUT = "Can't place an object if Agent isn't holding anything"
HAND_EMPTY_DROP = "nothing in hand to drop!"
HAND_EMPTY_THROW = "can't throw nothing!"
HAND_EMPTY_TURN = "Can't rotate an object if Agent isn't holding anything"
HAND_EMPTY_MOVE = "Agent can only move hand if holding an item"
HAND_HITS = "Hand collided with something and could not be moved that far"  # ours

NOT_RECEPTACLE = "This target object is NOT a receptacle!"
CLOSED = "Target openable Receptacle is CLOSED, can't place if target is not open!"
NO_ROOM = "No valid positions to place object found"
INTO_ITSELF = "Can't place an object in itself or in what it holds"  # ours

OPENNESS = "openness must be in [0:1]"
IN_USE = "Target must be OFF to open!"

CONTROLLED = (
    "target object is controlled by another sim object. "
    "target object cannot be turned on/off directly"
)
NOT_TOGGLEABLE = "object is not toggleable"
ALREADY_ON = "can't toggle object on if it's already on!"
ALREADY_OFF = "can't toggle object off if it's already off!"
OPEN_WHILE_ON = "Target must be closed to Toggle On!"
BROKEN = "Target is broken and cannot be Toggled On!"  # ours

IN_HAND = "target object cannot be sliced if it is in the agent's hand"
NOT_MOVEABLE = "Target Primary Property type incompatible with push/pull"


class RefusedError(Exception):
    """Ends a handler; the answer has the refusal as its text."""


def answering(handler: Callable[[ActionContext], Result]) -> Callable[[ActionContext], Result]:
    """Wraps a handler that may raise `RefusedError`; the wrapped one answers with the refusal."""

    @wraps(handler)
    def answered(context: ActionContext) -> Result:
        try:
            return handler(context)
        except RefusedError as refusal:
            return refuse(context, str(refusal))

    return answered


def unknown_id(object_id: str) -> str:
    """No object of the scene has the id."""
    return f"objectId: {object_id} is not the objectId on any object in the scene!"


def nothing_at(x: float, y: float) -> str:
    """No object lies at a point of the picture."""
    return f"No SimObject found at (x: {x}, y: {y})"


def not_pickupable(object_id: str) -> str:
    """It cannot be picked up."""
    return f"{object_id} must have the property CanPickup to be picked up."


def not_openable(object_id: str) -> str:
    """It has no door, drawer or lid."""
    return f"{object_id} is not an Openable object"


def already_open(object_id: str) -> str:
    """It is already as far open as was asked."""
    return f"object already open: {object_id}"


def already_closed(object_id: str) -> str:
    """It is not open at all."""
    return f"object already closed: {object_id}"


def full(name: str) -> str:
    """A receptacle for one thing is occupied."""
    return f"{name} is full right now!"


def wrong_type(held: str, receptacle: str) -> str:
    """A receptacle for special things takes no such thing."""
    return f"{held} is not a valid Object Type to be placed in {receptacle}"


def incompatible(held: str, receptacle: str) -> str:
    """The placement restrictions do not list the pair."""
    return f"{held} cannot be placed in {receptacle}"


def not_sliceable(name: str) -> str:
    """It cannot be sliced."""
    return f"{name} Does not have the CanBeSliced property!"


def already_sliced(object_id: str) -> str:
    """Only its pieces are left. Ours; AsgardBench looks for "cannot be sliced"."""
    return f"{object_id} is already sliced and cannot be sliced again"


def lacks(object_id: str, what: str) -> str:
    """It lacks the property that an action changes. Ours: AI2-THOR's texts of Dirty, Clean, Fill,
    Empty, Cook, Break and UseUp in this version are not known."""
    return f"{object_id} is not {what}"


def already(object_id: str, state: str) -> str:
    """It is already in the state that was asked for. Ours, like `lacks`."""
    return f"{object_id} is already {state}"
