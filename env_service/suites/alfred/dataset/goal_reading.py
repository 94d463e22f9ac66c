"""A task's goal, read from a trajectory's parameters or from a task's name (spec: alfred.md
sections 1 and 3.7)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from env_service.suites.alfred import names
from env_service.suites.alfred.task import Goal, TaskType
from env_service.suites.json_node import DataError, Node, chosen

TASK_TYPES = tuple(each.value for each in TaskType)

MOVABLE = tuple(each for each in names.PICKABLE if each in names.RECEPTACLES)
"""Receptacles that can be carried: Pot, Pan, Mug, Bowl, Box, Cup, Plate."""

LAMPS = ("DeskLamp", "FloorLamp")

PARENTS = tuple(names.BASINS.get(each, each) for each in names.RECEPTACLES)
"""Where goals put things: the basins stand for sinks and bathtubs, as in the data, because what
was put there is in the basin's list (spec section 3.7)."""

_SLICED = "Sliced"
_NONE = "None"

_NAME = re.compile(
    r"(?P<type>[^-/]+)-(?P<object>[^-/]+)-(?P<movable>[^-/]+)-(?P<last>[^-/]+)-(?P<scene>\d+)"
)


class TaskNameError(DataError):
    """A task's name is not of the form that ALFRED gives it."""


def read_parameters(task_type: Node, parameters: Node) -> Goal:
    """The goal of a trajectory's ``task_type`` and ``pddl_params``. A type keeps the name that it
    has there: "SinkBasin", not "Sink". Raises the nodes' error."""
    kind = TaskType(task_type.one_of("task type", TASK_TYPES))
    needed = _parts(kind)
    parts = {
        key: _part(parameters[f"{key}_target"], valid if key in needed else (), kind)
        for key, valid in _VALID.items()
    }
    return Goal(
        type=kind,
        object=parts["object"],
        parent=parts["parent"],
        movable=parts["mrecep"],
        toggle=parts["toggle"],
        sliced=parameters["object_sliced"].flag(),
    )


def read_task_name(name: str, source: str) -> tuple[Goal, str]:
    """The goal and the scene ("FloorPlan10") that a task's name stands for:
    ``{type}-{object[Sliced]}-{movable|None}-{receptacle or lamp}-{scene number}``.

    Raises TaskNameError.
    """
    node = Node(name, source, "", TaskNameError)
    found = _NAME.fullmatch(name)
    if found is None:
        raise node.error(
            f"{name!r:.100} is no task's name; it has to be TYPE-OBJECT-MOVABLE-RECEPTACLE-SCENE,"
            " as pick_and_place_simple-SoapBar-None-Cart-401"
        )
    kind = TaskType(chosen(node, found["type"], "task type", TASK_TYPES))
    word = found["object"].removesuffix(_SLICED)
    movable = "" if found["movable"] == _NONE else found["movable"]
    look = kind is TaskType.LOOK
    if bool(movable) != (kind is TaskType.MOVABLE):
        raise node.error(f"names the movable receptacle {found['movable']!r}, but is {kind.value}")
    goal = Goal(
        type=kind,
        object=chosen(node, word, "object type", names.PICKABLE),
        parent="" if look else chosen(node, found["last"], "receptacle type", PARENTS),
        movable=movable and chosen(node, movable, "movable receptacle", MOVABLE),
        toggle=chosen(node, found["last"], "lamp", LAMPS) if look else "",
        sliced=found["object"].endswith(_SLICED),
    )
    return goal, f"FloorPlan{int(found['scene'])}"


_VALID: Mapping[str, tuple[str, ...]] = {
    "object": names.PICKABLE,
    "parent": PARENTS,
    "mrecep": MOVABLE,
    "toggle": LAMPS,
}


def _parts(kind: TaskType) -> tuple[str, ...]:
    if kind is TaskType.LOOK:
        return ("object", "toggle")
    return ("object", "parent", "mrecep") if kind is TaskType.MOVABLE else ("object", "parent")


def _part(node: Node, valid: tuple[str, ...], kind: TaskType) -> str:
    if valid:
        return node.one_of("type", valid)
    if node.value not in ("", None):
        raise node.error(f"is {node.value!r:.60}, but a task of type {kind.value} has none")
    return ""
