"""Why no worker, and nothing that a worker started, outlives its engine.

A pipe that nothing is ever written to. The engine holds the writing end; each worker tells
the kernel to kill its whole process group as soon as that end is gone, however the engine
went. The kernel does it by itself, so it also works when the worker is stuck in native
code, and unlike PR_SET_PDEATHSIG it takes a simulator that the worker started with it and
does not depend on which thread of the engine started the worker.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys


def die_with(fd: int) -> None:
    """Ties this process group to the reading end of the engine's pipe.

    The caller leads a group of its own. Exits at once when the engine is gone already.
    Only Linux can do this: elsewhere a worker ends when it next reads from its socket.
    """
    if sys.platform == "linux":
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    gone, _, _ = select.select([fd], [], [], 0)
    if gone:
        sys.exit("the engine is gone")
