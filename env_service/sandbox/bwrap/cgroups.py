"""Control groups, v1 and v2, by which the kernel limits an agent."""

import itertools
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from env_service.sandbox.bwrap.keeper_plan import GroupPlan
from env_service.sandbox.options import AgentLimits

PREFIX = "houseguest-"
OVERHEAD = 1
"""Processes of bubblewrap's own in an agent's group: process 1 inside."""
_PERIOD = 100_000
"""Microseconds over which CPU time is counted: the kernel's default."""
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class GroupHome:
    """Folders below which this process may make groups, by controller; in v2 all are one.

    ``cpu`` is None where that controller is not to be had.
    """

    version: int
    memory: Path
    pids: Path
    cpu: Path | None

    def plan(self, limits: AgentLimits) -> GroupPlan:
        """Groups for one more agent."""
        name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        memory, pids = self.memory / name, self.pids / name
        cpu = self.cpu / name if self.cpu else None
        tasks = ((str(pids / "pids.max"), str(limits.pids + OVERHEAD)),)
        folders = dict.fromkeys(str(each) for each in (memory, pids, cpu) if each)
        quota = int(limits.cpus * _PERIOD)
        if self.version == 1:
            share = _v1_cpu(cpu, quota) if cpu else ()
            settings = (*_v1_memory(memory, limits.memory), *tasks, *share)
            return GroupPlan(tuple(folders), settings, (f"{memory}/memory.oom_control", "oom_kill"))
        share = ((f"{cpu}/cpu.max", f"{quota} {_PERIOD}"),) if cpu else ()
        settings = (*_v2_memory(memory, limits.memory), *tasks, *share)
        return GroupPlan(tuple(folders), settings, (f"{memory}/memory.events", "oom_kill"))

    def sweep(self) -> None:
        """Removes the groups of services that have ended, with all processes in them."""
        for place in {self.memory, self.pids, self.cpu or self.memory}:
            for folder in place.glob(f"{PREFIX}*-*"):
                pid = folder.name.removeprefix(PREFIX).split("-")[0]
                if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
                    for member in _members(folder):
                        with suppress(ProcessLookupError):
                            os.kill(member, signal.SIGKILL)
                    remove((str(folder),))


def find_home(proc: Path = Path("/proc/self")) -> GroupHome | None:
    """Where this process may make groups that bound memory and processes; None: nowhere."""
    own = _own_groups(proc)
    mounts = list(_mounts(proc))
    first = {
        controller: below(mount, own[controller])
        for mount in mounts
        for controller in mount.controllers
        if controller in own
    }
    candidates: list[GroupHome] = []
    if "memory" in first and "pids" in first:
        candidates.append(GroupHome(1, first["memory"], first["pids"], first.get("cpu")))
    for mount in mounts:
        if mount.version == 2 and "" in own:
            candidates += _v2_homes(below(mount, own[""]))
    return next((_settled(home) for home in candidates if _usable(home)), None)


@dataclass(frozen=True, slots=True)
class _Mount:
    version: int
    root: str
    point: Path
    controllers: tuple[str, ...] = ()


def below(mount: _Mount, group: str) -> Path:
    """The folder of a group in a mount, which may show only a part of the tree."""
    inside = os.path.relpath(group, mount.root)
    return mount.point if inside.startswith("..") else mount.point / inside


def _own_groups(proc: Path) -> dict[str, str]:
    """This process's group by controller; v2's under the empty name (``man 7 cgroups``)."""
    lines = _read(proc / "cgroup").splitlines()
    parts = [line.split(":", 2) for line in lines if line.count(":") >= 2]
    return {name: group for _, names, group in parts for name in names.split(",")}


def _mounts(proc: Path) -> Iterator[_Mount]:
    """``man 5 proc``, ``/proc/PID/mountinfo``."""
    for line in _read(proc / "mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        fields, (kind, _, options) = left.split(), right.split(" ", 2)
        if kind == "cgroup2":
            yield _Mount(2, fields[3], Path(fields[4]))
        elif kind == "cgroup":
            yield _Mount(1, fields[3], Path(fields[4]), tuple(options.split(",")))


def _v2_homes(own: Path) -> Iterator[GroupHome]:
    """Groups that could hold agents' groups. A group with processes cannot share its controllers
    with groups below it. So an agent's group has the same parent as the service's group, unless
    that is the root."""
    for place in (own.parent, own):
        granted = _read(place / "cgroup.subtree_control").split()
        if "memory" in granted and "pids" in granted:
            yield GroupHome(2, place, place, place if "cpu" in granted else None)


def _settled(home: GroupHome) -> GroupHome:
    if home.cpu is None or _can_make(home.cpu):
        return home
    return GroupHome(home.version, home.memory, home.pids, None)


def _usable(home: GroupHome) -> bool:
    """Whether groups can be made there, and processes moved there from the service's group."""
    procs = home.memory / "cgroup.procs"
    movable = home.version == 1 or os.access(procs, os.W_OK)
    return movable and _can_make(home.memory) and _can_make(home.pids)


def _can_make(place: Path) -> bool:
    probe = place / f"{PREFIX}{os.getpid()}-probe{next(_numbers)}"
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        return os.access(probe / "cgroup.procs", os.W_OK)
    finally:
        remove((str(probe),))


def make(plan: GroupPlan) -> None:
    """Makes the groups and sets their limits. Raises OSError."""
    for folder in plan.folders:
        Path(folder).mkdir()
    for file, value in plan.settings:
        if Path(file).exists():
            Path(file).write_text(value)


def enter(plan: GroupPlan, pid: int) -> None:
    """Moves a process into them. Raises OSError."""
    for folder in plan.folders:
        (Path(folder) / "cgroup.procs").write_text(str(pid))


def ran_out_of_memory(plan: GroupPlan) -> bool:
    """Whether the kernel has killed a process in there for lack of memory."""
    file, key = plan.kills
    for line in _read(Path(file)).splitlines():
        name, _, count = line.partition(" ")
        if name == key:
            return int(count) > 0
    return False


def members(plan: GroupPlan) -> set[int]:
    """The processes in them."""
    return {pid for folder in plan.folders for pid in _members(Path(folder))}


def remove(folders: Sequence[str]) -> bool:
    """Removes empty groups; returns whether all have been removed. Idempotent."""
    for folder in folders:
        with suppress(OSError):
            Path(folder).rmdir()
    return not any(Path(folder).exists() for folder in folders)


def _members(folder: Path) -> list[int]:
    return [int(pid) for pid in _read(folder / "cgroup.procs").split()]


def _v1_memory(group: Path, limit: int) -> tuple[tuple[str, str], ...]:
    """The second file bounds memory and swap together; some kernels do not have it."""
    return (
        (f"{group}/memory.limit_in_bytes", str(limit)),
        (f"{group}/memory.memsw.limit_in_bytes", str(limit)),
    )


def _v1_cpu(group: Path, quota: int) -> tuple[tuple[str, str], ...]:
    return (
        (f"{group}/cpu.cfs_period_us", str(_PERIOD)),
        (f"{group}/cpu.cfs_quota_us", str(quota)),
    )


def _v2_memory(group: Path, limit: int) -> tuple[tuple[str, str], ...]:
    return (
        (f"{group}/memory.max", str(limit)),
        (f"{group}/memory.swap.max", "0"),
        (f"{group}/memory.oom.group", "1"),
    )


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
