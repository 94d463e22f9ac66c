"""Whether a guest is over its limits."""

from __future__ import annotations

import enum
import time

from env_service.sandbox.bwrap import cgroups, watch
from env_service.sandbox.bwrap.plan import Plan


class Breach(enum.Enum):
    """Which limit a guest went over, in words for its log."""

    MEMORY = "it went over its memory limit"
    TIME = "its time was over"
    PROCESSES = "it had too many processes and threads"


class Bounds:
    """Looks after one guest's limits; its time begins now."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._deadline = None if plan.seconds is None else time.monotonic() + plan.seconds

    def breach(self, first: int | None) -> Breach | None:
        """The limit that is broken; ``first`` is process 1 of the guest's pid namespace."""
        if self.out_of_memory():
            return Breach.MEMORY
        if self._deadline is not None and time.monotonic() > self._deadline:
            return Breach.TIME
        return None if first is None else self._measured(first)

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed something of it for lack of memory."""
        groups = self._plan.groups
        return groups is not None and cgroups.ran_out_of_memory(groups)

    def _measured(self, first: int) -> Breach | None:
        limits = self._plan.watch
        if limits is None:
            return None
        processes = watch.tree(first)
        if watch.memory(processes, limits.memory) > limits.memory:
            return Breach.MEMORY
        threads = sum(process.threads for process in processes)
        return Breach.PROCESSES if threads > limits.pids + cgroups.OVERHEAD else None
