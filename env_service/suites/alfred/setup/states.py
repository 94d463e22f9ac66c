"""Toggles, dirt and liquids at a task's opening."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.suites.alfred.house import House, ThorObject
from env_service.suites.alfred.setup.prepared import Problem, ProblemKind
from env_service.suites.alfred.task import SceneSetup
from env_service.worlds.thor.controller import ThorController

_Deed = tuple[ProblemKind, str]
"""What it belongs to, and the action."""


def put_in_state(world: ThorController, house: House, setup: SceneSetup) -> list[Problem]:
    """Switches objects by type; makes all that can be dirty dirty, and empties all that is filled,
    where the task says so. What is so already is left alone, so it can be called again.
    ``house`` is what the world shows now.

    AI2-THOR 5.0.0 has no SetObjectToggles (spec section 8): each object is switched by itself.

    Returns:
        What the world refuses. Raises WorldFault if it breaks.
    """
    problems = []
    for item, (kind, action) in _wanted(house, setup):
        event = world.step(action, objectId=item["objectId"], forceAction=True)
        if not event:
            reason = f"{action}: {event.metadata['errorMessage']}"
            problems.append(Problem(kind, str(item["objectId"]), reason))
    return problems


def _wanted(house: House, setup: SceneSetup) -> Iterator[tuple[ThorObject, _Deed]]:
    for kind, on in setup.toggles:
        action = "ToggleObjectOn" if on else "ToggleObjectOff"
        for item in house.of_type(kind):
            if item["toggleable"] and bool(item["isToggled"]) is not on:
                yield item, (ProblemKind.TOGGLE, action)
    if not setup.dirty_and_empty:
        return
    for item in house.objects:
        if item["dirtyable"] and not item["isDirty"]:
            yield item, (ProblemKind.STATE, "DirtyObject")
        if item["canFillWithLiquid"] and item["isFilledWithLiquid"]:
            yield item, (ProblemKind.STATE, "EmptyLiquidFromObject")
