"""What a command and all processes below it use: memory and CPU time, by kind of process.

Memory is the sum of proportional set sizes (PSS, from /proc/PID/smaps_rollup): a page that several
processes share counts once, spread over them, so the sum is what they hold together.
"""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import children
from env_service.processes.process_tree import process_tree

PERIOD = 0.5
"""Seconds between two looks."""

KINDS = {
    "env_service.engine.worker": "workers",
    "env_service.results.frame_packer": "packer",
    "multiprocessing": "expert's processes",
    "agent.py": "guests",
}
"""Words of a command line, and the kind of process; all others belong to the service."""

SERVICE = "service"

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took.

    Attributes:
        wall, cpu: seconds; CPU time is that of all processes.
        cpu_of: CPU seconds by kind, as last seen.
        peak: bytes of all processes together, at most.
        peak_of: bytes of all processes of a kind together, at most.
        largest_of: bytes of the largest process of a kind.
        status: exit status.
        output: what it wrote to standard output.
    """

    wall: float
    cpu: float
    cpu_of: Mapping[str, float]
    peak: int
    peak_of: Mapping[str, int]
    largest_of: Mapping[str, int]
    status: int
    output: str


@dataclass(slots=True)
class _Watch:
    """Looks at a process and its descendants until it must stop."""

    root: int
    over: threading.Event = field(default_factory=threading.Event)
    ticks: dict[int, tuple[str, int]] = field(default_factory=dict)
    peak: int = 0
    peak_of: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    largest_of: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def run(self) -> None:
        """Looks every PERIOD seconds."""
        while not self.over.wait(PERIOD):
            self._look()

    def _look(self) -> None:
        held: dict[str, int] = defaultdict(int)
        for pid in process_tree(self.root):
            with contextlib.suppress(OSError, ValueError, IndexError):
                kind = SERVICE if pid == self.root else _kind(pid)
                size = _proportional(pid)
                self.ticks[pid] = (kind, _ticks(pid))
                held[kind] += size
                self.largest_of[kind] = max(self.largest_of[kind], size)
        for kind, size in held.items():
            self.peak_of[kind] = max(self.peak_of[kind], size)
        self.peak = max(self.peak, sum(held.values()))

    @property
    def cpu_of(self) -> dict[str, float]:
        """CPU seconds by kind."""
        found: dict[str, float] = defaultdict(float)
        for kind, ticks in self.ticks.values():
            found[kind] += ticks / _TICK
        return found


def run_watched(words: Sequence[str]) -> Used:
    """Runs ``python words…`` to its end; its standard error is ours."""
    before, started = _children_cpu(), time.monotonic()
    process = children.start(*words)
    watch = _Watch(process.pid)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        output, _ = process.communicate()
    finally:
        children.end(process)
        watch.over.set()
        thread.join()
    wall, cpu = time.monotonic() - started, _children_cpu() - before
    parts = (watch.cpu_of, watch.peak, watch.peak_of, watch.largest_of)
    return Used(wall, cpu, *parts, process.returncode, output)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _kind(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return next((kind for word, kind in KINDS.items() if word in words), SERVICE)


def _proportional(pid: int) -> int:
    """Proportional set size, bytes."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _ticks(pid: int) -> int:
    """CPU time in clock ticks, without that of children."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    user, system = text.rpartition(")")[2].split()[11:13]
    return int(user) + int(system)
