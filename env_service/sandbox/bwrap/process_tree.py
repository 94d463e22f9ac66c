"""What a tree of processes uses, where no control group counts it."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Process:
    """One process: its parent, its threads, and its resident memory in bytes."""

    pid: int
    parent: int
    threads: int
    resident: int


def tree(root: int, proc: Path = Path("/proc")) -> list[Process]:
    """A process and all its descendants. An orphan's parent is the first process of its pid
    namespace, so none can leave the tree of that one."""
    found = [each for entry in proc.iterdir() if (each := _process(entry)) is not None]
    children: dict[int, list[Process]] = {}
    for process in found:
        children.setdefault(process.parent, []).append(process)
    members = [process for process in found if process.pid == root]
    for process in members:
        members += children.get(process.pid, ())
    return members


def memory(processes: Sequence[Process], enough: int, proc: Path = Path("/proc")) -> int:
    """The memory that they use together, in bytes.

    Resident memory counts shared memory once for each process. Only if its sum is above ``enough``
    is each process's proportional share read, which is slow.
    """
    resident = sum(process.resident for process in processes)
    if resident <= enough:
        return resident
    return sum(_share(process, proc) for process in processes)


def inside(root: int, number: int, proc: Path = Path("/proc")) -> int | None:
    """The process that is ``number`` in the pid namespace whose first process is ``root``."""
    for process in tree(root, proc):
        if _number(proc / str(process.pid)) == number:
            return process.pid
    return None


def gone(pids: Iterable[int]) -> bool:
    """Whether none of these processes runs any more."""
    return not any(_runs(pid) for pid in pids)


def _process(entry: Path) -> Process | None:
    """``man 5 proc``, ``/proc/PID/stat``: what follows the name in brackets, from field 3."""
    if not entry.name.isdecimal():
        return None
    try:
        fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return Process(int(entry.name), int(fields[1]), int(fields[17]), int(fields[21]) * _PAGE)
    except (OSError, IndexError):
        return None


def _share(process: Process, proc: Path) -> int:
    """Its proportional share, or all that is resident where that may not be read. Nothing of one
    that has ended since it was counted: a tree that ends at once would seem to overflow."""
    try:
        lines = (proc / str(process.pid) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        now = _process(proc / str(process.pid))
        return now.resident if now else 0


def _number(entry: Path) -> int:
    """Its number in its innermost pid namespace."""
    try:
        lines = (entry / "status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[-1]) for line in lines if line.startswith("NSpid:")), 0)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    return state[0] not in "ZX"
