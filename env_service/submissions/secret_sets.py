"""Task sets that are drawn from numbers nobody needs to know."""

from __future__ import annotations

import fcntl
import json
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from env_service.results.atomic import write_atomically
from env_service.submissions.errors import PhasesError

HIGHEST = 999_999_999
"""The highest seed that every suite's names of task sets take."""
MOST = 1000
_PLACE = re.compile(r"\{secret(?:\*([1-9]\d{0,3}))?\}")


def find_secrets(task_set: str) -> int:
    """How many numbers a name with ``{secret}`` or ``{secret*20}`` needs.

    Raises PhasesError for other words in braces.
    """
    rest = _PLACE.sub("", task_set)
    if "{" in rest or "}" in rest:
        raise PhasesError(
            f"the task set {task_set!r}: only {{secret}}, and {{secret*N}} for N numbers with"
            " commas between, may stand in braces"
        )
    needed = sum(int(found[1] or 1) for found in _PLACE.finditer(task_set))
    if needed > MOST:
        raise PhasesError(f"the task set {task_set!r} needs {needed} secrets; {MOST} is the most")
    return needed


class SecretSeeds:
    """Numbers that are drawn once, and kept in a file that only the organiser can read."""

    def __init__(self, path: Path) -> None:
        """Touches nothing yet."""
        self._path = path

    def fill_in(self, phase: str, task_sets: Sequence[str]) -> tuple[str, ...]:
        """The names with their numbers: the same whenever they are asked for."""
        if not any(map(find_secrets, task_sets)):
            return tuple(task_sets)
        with self._path.with_suffix(".lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return tuple(self._fill(f"{phase} {task_set}", task_set) for task_set in task_sets)

    def _fill(self, key: str, task_set: str) -> str:
        known: dict[str, list[int]] = {}
        if self._path.exists():
            known = json.loads(self._path.read_text(encoding="utf-8"))
        if key not in known:
            known[key] = _draw(find_secrets(task_set))
            write_atomically(self._path, json.dumps(known, indent=2).encode())
            self._path.chmod(0o600)
        numbers = iter(known[key])

        def put(found: re.Match[str]) -> str:
            return ",".join(str(next(numbers)) for _ in range(int(found[1] or 1)))

        return _PLACE.sub(put, task_set)


def _draw(count: int) -> list[int]:
    drawn: dict[int, None] = {}
    while len(drawn) < count:
        # From a million on: a small seed would be one of those that everybody tries.
        drawn[secrets.randbelow(HIGHEST - 10**6) + 10**6] = None
    return list(drawn)
