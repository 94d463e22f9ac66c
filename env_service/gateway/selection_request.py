"""What every request that opens a run or a practice asks for, and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.domain import run_bounds
from env_service.wire.bounds import Number, check_values

_COUNTS = {
    "repeats": Number(run_bounds.REPEATS),
    "parallel_sessions": Number(run_bounds.SESSIONS),
    "sessions": Number(run_bounds.SESSIONS),
}
"""Fields in which 0 means 1 in a message. Here they hold the number that is meant."""


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """What to play. Empty names mean defaults, which RunRequest and PracticeRequest name.

    ``tasks`` are ids, groups or shell patterns; ``condition`` maps settings to values.
    """

    suite: str
    task_set: str = ""
    world: str = ""
    condition: Mapping[str, str] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    seed: int = 0
    sessions: int = 1

    def check(self, message: Any, others: Mapping[str, Any]) -> None:
        """Raises BoundError for a value that such a message may not carry.

        ``others`` are the values of its further fields, by their names; None: not set.
        """
        values = {
            "suite": self.suite,
            "task_set": self.task_set,
            "world": self.world,
            "condition": self.condition,
            "tasks": self.tasks,
            "seed": self.seed,
            **{name: value for name, value in others.items() if value is not None},
        }
        for name in [each for each in _COUNTS if each in values]:
            _COUNTS[name].check(name, values.pop(name))
        check_values(message, values)
