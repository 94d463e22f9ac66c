"""A process and all that it started, as Linux tells them."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path


def family(pid: int) -> Iterator[int]:
    """A process and all below it, parents first, as far as the system tells.

    One whose parent ended is nobody's child, and not found.
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


def kill_below(pid: int) -> None:
    """Kills all that a process started, in whatever groups they are, but not itself."""
    held = []
    for each in family(pid):
        if each != pid:
            # A descriptor stands for this very process, even if its number is given away.
            with contextlib.suppress(OSError, AttributeError):
                held.append(os.pidfd_open(each))
    for fd in held:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
        os.close(fd)
