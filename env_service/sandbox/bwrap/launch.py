"""bubblewrap as a child process, stopped before the agent's command until it is let go; and how
root starts an agent that is not root.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from env_service.sandbox.bwrap.keeper_plan import KeeperPlan, Operation

_DATA, _FILTER = "--ro-bind-data", "--seccomp"


@dataclass(slots=True)
class Launched:
    """bubblewrap's process; ``gate`` lets the command begin when it is written to; from
    ``status`` come JSON documents about it."""

    process: subprocess.Popen[bytes]
    gate: int
    status: int

    def let_go(self) -> None:
        """Has the command begin."""
        with suppress(BrokenPipeError):
            os.write(self.gate, b"\n")
        os.close(self.gate)


def launch(plan: KeeperPlan, operations: Iterable[Operation]) -> Launched:
    """Starts bubblewrap. The agent writes to this process's stderr. Raises OSError.

    bubblewrap inherits only the file descriptors that are made for it, and closes them.
    """
    reads_gate, gate = os.pipe()
    status, writes_status = os.pipe()
    passed = [reads_gate, writes_status]
    words = ["--block-fd", str(reads_gate), "--json-status-fd", str(writes_status)]
    for operation in operations:
        words += _described(operation, passed)
    # The agent's token is in there: a command line is for everybody to read.
    arguments = _file("\0".join(words).encode() + b"\0")
    passed.append(arguments)
    try:
        with _as_first_to_go():
            process = subprocess.Popen(
                [plan.bwrap, "--args", str(arguments), "--", *plan.command],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                stderr=sys.stderr,
                pass_fds=passed,
                env={},
                user=plan.uid,
                group=plan.uid,
                extra_groups=None if plan.uid is None else (),
            )
    finally:
        for fd in passed:
            os.close(fd)
    return Launched(process, gate, status)


def child_pid(document: str) -> int | None:
    """The process that is 1 in the sandbox, if this is the document that says so."""
    return _number(document, "child-pid")


def exit_code(document: str) -> int | None:
    """The command's exit status, if this is the document that says so."""
    return _number(document, "exit-code")


def bound(plan: KeeperPlan) -> None:
    """Sets the limits that everything which this process starts inherits."""
    for kind, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, plan.files),
        (resource.RLIMIT_NOFILE, plan.open_files),
    ):
        hard = resource.getrlimit(kind)[1]
        value = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (value, value))


def confine(plan: KeeperPlan, pid: int) -> None:
    """Limits process 1 of the sandbox to its cores and, if nothing else does, to its number of
    processes. In a separate user namespace these count apart from other processes of the user."""
    if plan.cores:
        os.sched_setaffinity(pid, plan.cores)
    if plan.watch is not None and plan.counted:
        # Root without CAP_SYS_RESOURCE may not: then the watch alone counts.
        with suppress(PermissionError):
            limit = plan.watch.pids + 1
            resource.prlimit(pid, resource.RLIMIT_NPROC, (limit, limit))


@contextmanager
def _as_first_to_go() -> Iterator[None]:
    """What is started within is what the kernel kills first when the machine has no memory
    left: the agent rather than the service."""
    file = Path("/proc/self/oom_score_adj")
    before = file.read_text()
    file.write_text("1000")
    try:
        yield
    finally:
        file.write_text(before)


def _described(operation: Operation, passed: list[int]) -> list[str]:
    name, *rest = operation
    if name not in (_DATA, _FILTER):
        return [name, *rest]
    content = bytes.fromhex(rest[0]) if name == _FILTER else rest[0].encode()
    passed.append(_file(content))
    return [name, str(passed[-1]), *rest[1:]]


def _file(content: bytes) -> int:
    """A file in memory, to be read from its start."""
    fd = os.memfd_create("houseguest", 0)
    with os.fdopen(os.dup(fd), "wb") as file:
        file.write(content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _number(document: str, key: str) -> int | None:
    try:
        value = json.loads(document).get(key)
    except ValueError:
        return None
    return value if isinstance(value, int) else None


# --- How root starts an agent that is not root, in files that only root can get to

_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_SLAVE = 2, 4, 4096, 16384, 1 << 19
_PLACES = ("/mnt", "/media", "/srv", "/opt")
BIND = "--ro-bind"


def stage(operations: Sequence[Operation]) -> list[Operation]:
    """The operations, reading from places that every user can reach. Raises OSError.

    Only for root; changes what this process sees below one of _PLACES.
    """
    sources = dict.fromkeys(each[1] for each in operations if each[0] == BIND)
    _call("unshare", _CLONE_NEWNS)
    # What the machine unmounts goes here too; what we mount goes nowhere.
    _mount("none", "/", "", _MS_REC | _MS_SLAVE)
    # Held open, since the stage may hide some of them.
    opened = {source: os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources}
    stages = _bind_all(opened.items())
    for fd in opened.values():
        os.close(fd)
    return [_moved(each, stages) for each in operations]


def _bind_all(opened: Iterable[tuple[str, int]]) -> dict[str, str]:
    place = next(Path(each) for each in _PLACES if Path(each).is_dir())
    _mount("tmpfs", str(place), "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    stages = {}
    for number, (source, fd) in enumerate(opened):
        stage = place / str(number)
        entry = f"/proc/self/fd/{fd}"
        if Path(entry).is_dir():
            stage.mkdir()
        else:
            stage.touch()
        _mount(entry, str(stage), "", _MS_BIND | _MS_REC)
        stages[source] = str(stage)
    return stages


def _moved(operation: Operation, stages: dict[str, str]) -> Operation:
    if operation[0] != BIND:
        return operation
    return (BIND, stages[operation[1]], *operation[2:])


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    texts = (text.encode() for text in (source, target, kind))
    _call("mount", *texts, ctypes.c_ulong(flags), options.encode())


def _call(function: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
