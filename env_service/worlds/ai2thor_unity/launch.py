"""Becomes the player, tied to the life of its owner. Run as a script: it imports no package.

    python -I -S launch.py LIFELINE CPUS COMMAND...

LIFELINE is a descriptor: the reading end of a pipe that is never written to. Only the owner has the
writing end. As soon as that end closes, however the owner ends, the kernel kills this process
group: the player and whatever it started. PR_SET_PDEATHSIG would kill the player alone, and already
when the owner's thread that started it ends. CPUS are the processors to run on, as "0,2,3"; ""
does not restrict them.

It is a separate program because code between fork and exec is unsafe in an owner with threads.
"""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import sys

OWNER_GONE = 125
NOT_STARTED = 126
"""Exit statuses of this script, which no player was seen to use: the owner died during the start;
the command could not be run, or the processors not be had."""


def main(lifeline: str, cpus: str, *command: str) -> int:
    """Does not come back if it succeeds, else gives the exit status and says why on stderr."""
    if not tie(int(lifeline)):
        return OWNER_GONE
    try:
        if cpus:
            os.sched_setaffinity(0, {int(each) for each in cpus.split(",")})
        forget_python()
        os.execvp(command[0], command)  # noqa: S606 - replaced by the player, which is the point
    except (OSError, ValueError) as error:
        sys.stderr.write(f"cannot start {command[0]} on processors {cpus or 'any'}: {error}\n")
    return NOT_STARTED


def tie(lifeline: int) -> bool:
    """Ties this process group, which the caller leads, to the lifeline; holds across exec. False
    if the owner has already ended."""
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    return not poll.poll(0)


def forget_python() -> None:
    """Undoes what the interpreter, or a shell that put its owner in the background, did to
    signals, and spares the disk the player's core dumps, which would take gigabytes and delay the
    news of its death."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
