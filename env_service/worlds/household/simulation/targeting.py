"""Which object an action means, and whether it is within reach.

AI2-THOR asks in this order (spec: ai2thor.md section 5.4, its texts): does the id exist, is the
object visible, is it interactable; what the action itself demands comes afterwards. With
`forceAction` only the first question is asked.
"""

from __future__ import annotations

from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import Kind, Parameter, Turn
from env_service.worlds.household.simulation.refusals import RefusedError
from env_service.worlds.household.state import HouseState, ObjectState

TARGET = (
    Parameter("objectId", Kind.TEXT, None),
    Parameter("x", Kind.NUMBER, None),
    Parameter("y", Kind.NUMBER, None),
    Parameter("forceAction", Kind.TRUTH, default=False),
)
"""The parameters of an action on one object: by id, or by a point of the picture."""


def find(state: HouseState, object_id: str) -> ObjectState:
    """The object of that id; none raises `RefusedError`."""
    try:
        return state.objects[object_id]
    except KeyError:
        raise RefusedError(refusals.unknown_id(object_id)) from None


def target(turn: Turn) -> ObjectState:
    """The object that the turn's `objectId`, or `x` and `y`, mean.

    The held object needs not be seen: its ways of being used (opening a held laptop) are checked
    by the action. An object that its pieces stand for is as good as unseen.

    Raises:
        RefusedError: there is none, or it cannot be reached.
    """
    object_id = turn["objectId"]
    item = find(turn.state, object_id if object_id is not None else _pointed_at(turn))
    if turn["forceAction"] or item.held:
        return item
    if item.replaced or not turn.sight.visible(item.id):
        raise RefusedError(refusals.NOT_VISIBLE)
    if not turn.sight.interactable(item.id):
        raise RefusedError(refusals.NOT_INTERACTABLE)
    return item


def _pointed_at(turn: Turn) -> str:
    x, y = turn["x"], turn["y"]
    if x is None or y is None:
        raise RefusedError(refusals.NO_TARGET)
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise RefusedError(refusals.OFF_PICTURE)
    found = turn.sight.object_at(x, y)
    if found is None:
        raise RefusedError(refusals.nothing_at(x, y))
    return found
