"""A built-in task, made from its goal and its room."""

from __future__ import annotations

from env_service.suites.alfred.builtin.draws import draw_for
from env_service.suites.alfred.builtin.grammar.commands import commands_for
from env_service.suites.alfred.builtin.reference import reference_plan
from env_service.suites.alfred.builtin.rooms import Inventory
from env_service.suites.alfred.builtin.tables import SLICED
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType


def name_of(goal: Goal, room: str, version: int) -> str:
    """The task's id: ALFRED's grammar for the names of tasks (spec: alfred.md section 1) with the
    room for the scene's number, and a number for what would else have one name."""
    thing = goal.object + (SLICED if goal.sliced else "")
    last = goal.toggle or goal.parent
    name = "-".join((goal.type.value, thing, goal.movable or "None", last, room))
    return name if version == 1 else f"{name}_V{version}"


def make_task(goal: Goal, inventory: Inventory, version: int) -> AlfredTask:
    """The task. Its wording is drawn by its id, so that tasks of one id are the same in every set.

    The room is as it was drawn up: nothing is posed, and the agent stands where the room has it.
    """
    name = name_of(goal, inventory.scene, version)
    return AlfredTask(
        id=name,
        goal=goal,
        setup=SceneSetup(
            scene=inventory.scene,
            toggles=((goal.toggle, False),) if goal.toggle else (),
            dirty_and_empty=goal.type is TaskType.CLEAN,
        ),
        commands=commands_for(goal, inventory.kind, draw_for("words", name)),
        reference=reference_plan(goal, _source(goal, inventory)),
    )


def _source(goal: Goal, inventory: Inventory) -> str:
    """The closed receptacle that all things of the goal's type within reach lie in, if so."""
    things = [each for each in inventory.things[goal.object] if each.at_hand]
    return things[0].shut_in if all(each.shut_in for each in things) else ""
