"""The target of an action, whether it is within reach, and queries about what the agent sees."""

from collections.abc import Iterable

from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.refusals import RefusedError
from env_service.worlds.household.state import HouseholdState, ObjectState

TARGET = (
    Parameter("objectId", ParameterType.TEXT, None),
    Parameter("x", ParameterType.NUMBER, None),
    Parameter("y", ParameterType.NUMBER, None),
    Parameter("forceAction", ParameterType.TRUTH, default=False),
)
"""The parameters of an action on one object: by id, or by a point of the picture."""


def find(state: HouseholdState, object_id: str) -> ObjectState:
    """The object of that id; none raises `RefusedError`."""
    try:
        return state.objects[object_id]
    except KeyError:
        raise RefusedError(refusals.unknown_id(object_id)) from None


def known_ids(state: HouseholdState, ids: Iterable[object]) -> list[str]:
    """The ids; one that no object of the scene has raises `RefusedError`."""
    for key in ids:
        if not isinstance(key, str) or key not in state.objects:
            raise RefusedError(refusals.unknown_id(str(key)))
    return [str(key) for key in ids]


def target(context: ActionContext) -> ObjectState:
    """The object that the action's `objectId`, or `x` and `y`, mean.

    The held object needs not be seen: its ways of being used (opening a held laptop) are checked by
    the action. An object that pieces have replaced counts as unseen.

    Raises:
        RefusedError: there is none, or it cannot be reached.
    """
    object_id = context["objectId"]
    item = find(context.state, object_id if object_id is not None else _pointed_at(context))
    if context["forceAction"] or item.held:
        return item
    if item.replaced or not context.visibility.visible(item.id):
        raise RefusedError(refusals.NOT_VISIBLE)
    if not context.visibility.interactable(item.id):
        raise RefusedError(refusals.NOT_INTERACTABLE)
    return item


def _pointed_at(context: ActionContext) -> str:
    x, y = context["x"], context["y"]
    if x is None or y is None:
        raise RefusedError(refusals.NO_TARGET)
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        raise RefusedError(refusals.OFF_PICTURE)
    found = context.visibility.object_at(x, y)
    if found is None:
        raise RefusedError(refusals.nothing_at(x, y))
    return found


# --- Queries about what the agent sees; they change nothing

ACTIONS = Register()


@ACTIONS.action(
    "GetObjectInFrame",
    Parameter("x", ParameterType.NUMBER),
    Parameter("y", ParameterType.NUMBER),
    Parameter("checkVisible", ParameterType.TRUTH, default=False),
)
def get_object_in_frame(context: ActionContext) -> Result:
    """The id of the object at a point of the picture, x and y in [0, 1] from the top left; with
    `checkVisible` only if it is visible."""
    x, y = context["x"], context["y"]
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return refuse(context, refusals.OFF_PICTURE)
    found = context.visibility.object_at(x, y)
    if found is None:
        return refuse(context, refusals.nothing_at(x, y))
    if context["checkVisible"] and not context.visibility.visible(found):
        error = f"target hit ({found}) at ({x}, {y}) is not currently Visible to Agent"
        return refuse(context, error)
    return Result(context.state, value=found, quick=True)
