"""How much memory a worker and its simulator hold, and how much they may."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from env_service.processes.process_tree import process_tree

_PAGE = os.sysconf("SC_PAGE_SIZE")
_CGROUP_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_LEAST_RETIRE = 2 * 2**30
_LEAST_KILL = 4 * 2**30


@dataclass(frozen=True, slots=True)
class MemoryBounds:
    """Bytes of resident memory of a worker and all processes below it.

    Above ``retire`` it hosts no new episode, and is replaced once those it has are over. Above
    ``kill`` it is killed at once, before the kernel chooses a victim. Looked at every ``period``
    seconds. Raises ValueError where ``kill`` is less than ``retire``, or one is not above 0.
    """

    retire: int
    kill: int
    period: float = 5.0

    def __post_init__(self) -> None:
        if not 0 < self.retire <= self.kill:
            raise ValueError(
                f"retire is {self.retire} and kill {self.kill} bytes; needs 0 < retire <= kill"
            )
        if not self.period > 0:
            raise ValueError(f"period is {self.period} s; needs > 0")

    @staticmethod
    def above(retire: int) -> MemoryBounds:
        """Bounds of which the second is twice the first."""
        return MemoryBounds(retire, 2 * retire)

    @staticmethod
    def for_workers(workers: int, machine: int | None = None) -> MemoryBounds:
        """Bounds that leave healthy workers alone, and a leaking one not the whole machine.

        A worker is replaced above 80 % of an equal share of the machine's memory, and killed
        above twice that, or 90 % of the machine; small shares count as a few GiB, which a
        simulator may well need. ``machine`` in bytes; None asks the machine.
        """
        whole = machine_memory() if machine is None else machine
        retire = max(_LEAST_RETIRE, int(0.8 * whole / workers))
        kill = max(_LEAST_KILL, min(2 * retire, int(0.9 * whole)))
        return MemoryBounds(min(retire, kill), kill)


def machine_memory(groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that this machine has, or that its container was given where that is less."""
    whole = _PAGE * os.sysconf("SC_PHYS_PAGES")
    for name in _CGROUP_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            whole = min(whole, int((groups / name).read_text(encoding="ascii")))
    return whole


def resident_bytes(pid: int) -> int:
    """Resident memory of a process and of all below it; 0 if it has ended.

    Memory that several of them share counts for each.
    """
    pages = 0
    for each in process_tree(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages += int(Path(f"/proc/{each}/statm").read_bytes().split()[1])
    return pages * _PAGE
