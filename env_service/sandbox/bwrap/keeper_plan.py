"""Messages between the service and an agent's keeper: a plan, then reports, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

Operation = tuple[str, ...]
"""One option of bubblewrap with its arguments. What follows ``--ro-bind-data`` and
``--seccomp`` is content (text; hex digits) where bubblewrap takes a file descriptor."""


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Control groups to make: folders, then ``settings`` (file, value; left out where there is
    no such file), and the file and the key in it that count kills for lack of memory."""

    folders: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    kills: tuple[str, str]


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """What is measured instead, in bytes, and processes and threads together."""

    memory: int
    pids: int


@dataclass(frozen=True, slots=True)
class KeeperPlan:
    """``operations`` in their order, ``command`` in the sandbox, and what holds it in.

    ``uid``: whom the keeper, if it is root, becomes before it starts anything. ``cores``: those
    that the agent may run on; empty: any. ``seconds``: of its whole life; None: unbounded.
    Exactly one of ``groups`` and ``watch`` is given. ``files`` is the largest file in bytes,
    ``open_files`` how many a process may hold. ``counted``: the kernel counts the processes of
    a user namespace apart.
    """

    bwrap: str
    operations: tuple[Operation, ...]
    command: tuple[str, ...]
    files: int
    open_files: int
    uid: int | None = None
    cores: tuple[int, ...] = ()
    seconds: float | None = None
    groups: GroupPlan | None = None
    watch: WatchPlan | None = None
    counted: bool = False

    def dumps(self) -> bytes:
        """As ``loads`` takes it."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def loads(document: bytes) -> KeeperPlan:
        """The plan again."""
        fields = json.loads(document)
        groups, watch = fields.pop("groups"), fields.pop("watch")
        return KeeperPlan(
            **fields,
            groups=None if groups is None else GroupPlan(**groups),
            watch=None if watch is None else WatchPlan(**watch),
        )


@dataclass(frozen=True, slots=True)
class KeeperReport:
    """What the keeper says, one JSON document a line: that the agent runs, then its end.

    ``code`` is None while it runs, and if bubblewrap could not set it up: ``problem`` then says
    what the log does not.
    """

    running: bool = False
    code: int | None = None
    out_of_memory: bool = False
    out_of_time: bool = False
    problem: str = ""

    def dumps(self) -> bytes:
        """A line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def loads(line: bytes) -> KeeperReport:
        """Raises ValueError for a line that is none of these."""
        return KeeperReport(**json.loads(line))
