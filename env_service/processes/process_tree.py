"""Finds and ends a process and all that it started."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path


def process_tree(pid: int) -> Iterator[int]:
    """A process and all its descendants, parents first.

    A process whose parent has ended is not found.
    """
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        yield parent
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{parent}/task").iterdir():
                # A thread that ends meanwhile hands its children to another one.
                with contextlib.suppress(OSError):
                    waiting += map(int, (thread / "children").read_bytes().split())


def kill_descendants(pid: int) -> None:
    """Kills all that a process started, in whatever groups they are, but not itself."""
    held = []
    for each in process_tree(pid):
        if each != pid:
            # A descriptor means this very process, even if its number is used again.
            with contextlib.suppress(OSError, AttributeError):
                held.append(os.pidfd_open(each))
    for fd in held:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
        os.close(fd)


# --- Ends a worker, and all that it started, with its engine


def die_with_parent(fd: int) -> None:
    """Ties this process group to the reading end of the engine's pipe.

    When the engine ends, the kernel kills the group. The caller leads the group. Exits at once if
    the engine has ended already. Only Linux can do this: elsewhere a worker ends when it next reads
    from its socket.
    """
    if sys.platform == "linux":
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    gone, _, _ = select.select([fd], [], [], 0)
    if gone:
        sys.exit("the engine has ended")
