"""Tasks and named lists of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ENCODER = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of a suite.

    ``id`` is stable and unique in its task set. ``group`` is what results are broken down
    by (a level, a task type); ``cluster`` what tasks share that makes them dependent (a
    scene), for clustered statistics. ``data`` is JSON that only the suite reads.
    """

    id: str
    group: str
    cluster: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskSet:
    """A named list of tasks. ``name`` is unique in its suite; ids are unique in the list."""

    name: str
    description: str
    tasks: tuple[Task, ...]

    def digest(self, suite: str, version: str) -> str:
        """SHA-256 (hex) of the task list and the version of the rules that score it."""
        sheet = [suite, version, self.name]
        sheet += [_ENCODER.encode([task.id, task.group, dict(task.data)]) for task in self.tasks]
        return hashlib.sha256("\n".join(sheet).encode()).hexdigest()
