"""The goal of a logged task: from the task's name, or from the log's "target goal" (docs/alfred.md,
"Tasks")."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from env_service.suites.alfred.goals import SLICED
from env_service.suites.alfred.task import Goal, TaskType

NAME = re.compile(
    r"(?P<name>(?P<type>pick_\w{1,60}|look_at_obj_in_light)-(?P<object>\w{1,60})"
    r"-(?P<movable>\w{1,60})-(?P<place>\w{1,60})-(?P<scene>\d{1,9}))"
)
TRIAL = re.compile(r"trial_T\d{8}_\d{6}_\d{6}")
REPEAT = re.compile(r"repeat_idx['\"]?\s*[:=]\s*(\d+)")

_KEYS = ("object", "parent", "toggle", "mrecep")
_TYPES = frozenset(each.value for each in TaskType)


def goal_of_name(text: str) -> Goal | None:
    """The goal of the task whose name is in a text; None if the text has no name."""
    found = NAME.search(text)
    if found is None or found["type"] not in _TYPES:
        return None
    kind, place = TaskType(found["type"]), found["place"]
    looks = kind is TaskType.LOOK
    return Goal(
        type=kind,
        object=found["object"].removesuffix(SLICED),
        parent="" if looks else place,
        movable="" if found["movable"] == "None" else found["movable"],
        toggle=place if looks else "",
        sliced=found["object"].endswith(SLICED),
    )


def read_targets(text: str) -> Mapping[str, Any] | None:
    """The four targets in the text after "target goal:"; None for anything else."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text[start : end + 1])
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict) and "object" in found:
            return {key: str(found.get(key) or "") for key in _KEYS}
    return None


def goal_of_targets(targets: Mapping[str, Any], name: str, kind: str = "") -> Goal:
    """The goal that targets tell. They have no state change: that is in the name, or in the task's
    type; without either none is wanted."""
    named = goal_of_name(name)
    if named is not None:
        task_type = named.type
    elif kind in _TYPES:
        task_type = TaskType(kind)
    else:
        task_type = _guessed(targets)
    return Goal(
        type=task_type,
        object=targets["object"].removesuffix(SLICED),
        parent="" if task_type is TaskType.LOOK else targets["parent"],
        movable=targets["mrecep"],
        toggle=targets["toggle"],
        sliced=targets["object"].endswith(SLICED) or (named is not None and named.sliced),
    )


def _guessed(targets: Mapping[str, Any]) -> TaskType:
    if targets["toggle"] and not targets["parent"]:
        return TaskType.LOOK
    return TaskType.MOVABLE if targets["mrecep"] else TaskType.SIMPLE
