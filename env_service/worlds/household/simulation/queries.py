"""Questions about what the agent sees; they change nothing."""

from __future__ import annotations

from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    Kind,
    Parameter,
    Register,
    Result,
    Turn,
    refuse,
)

ACTIONS = Register()


@ACTIONS.action(
    "GetObjectInFrame",
    Parameter("x", Kind.NUMBER),
    Parameter("y", Kind.NUMBER),
    Parameter("checkVisible", Kind.TRUTH, default=False),
)
def get_object_in_frame(turn: Turn) -> Result:
    """The id of the object at a point of the picture, x and y in [0, 1] from the top left; with
    `checkVisible` only if it is visible."""
    x, y = turn["x"], turn["y"]
    if not (0 <= x <= 1 and 0 <= y <= 1):
        return refuse(turn, refusals.OFF_PICTURE)
    found = turn.sight.object_at(x, y)
    if found is None:
        return refuse(turn, refusals.nothing_at(x, y))
    if turn["checkVisible"] and not turn.sight.visible(found):
        error = f"target hit ({found}) at ({x}, {y}) is not currently Visible to Agent"
        return refuse(turn, error)
    return Result(turn.state, value=found, quick=True)
