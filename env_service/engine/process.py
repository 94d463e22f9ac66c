"""A worker as the operating system sees it: started, signalled, waited for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from env_service.engine.family import kill_below
from env_service.engine.page import make_page
from env_service.engine.placement import Place

_MODULE = ("-m", "env_service.engine.worker")
_LOG = logging.getLogger(__name__)
_POLL = 0.005
"""Seconds between two looks at a process that is about to exit."""


class WorkerProcess:
    """One worker process, leader of its own process group.

    The worker and all that it starts die with the process that made it (see ``lifeline``).
    ``link``, ``page`` and ``output`` are this side's ends of the socket, the shared memory
    and the output pipe; whoever takes them over closes them.
    """

    def __init__(
        self, suite: str, place: Place | None = None, variables: Mapping[str, str] | None = None
    ) -> None:
        """``place`` None: anywhere. ``variables``: beyond this process's environment.

        Raises OSError where no process can be started.
        """
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.page = make_page()
        self.output, printed = os.pipe()
        held, self._lifeline = os.pipe()
        setup = {"suite": suite, "socket": theirs.fileno(), "page": self.page, "lifeline": held}
        environment = {**os.environ, **(variables or {})}
        if place is not None:
            environment = place.environment(environment)
        try:
            self._child = subprocess.Popen(
                # -P: a file of the working directory must not pose as a module.
                [*(sys.executable, "-P", "-u", "-X", "faulthandler"), *_MODULE, json.dumps(setup)],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                pass_fds=(theirs.fileno(), self.page, held),
                env={**environment, "PYTHONPATH": _import_path()},
                start_new_session=True,
            )
        except OSError:
            self.link.close()
            for fd in (self.page, self.output, self._lifeline):
                os.close(fd)
            raise
        finally:
            theirs.close()
            os.close(printed)
            os.close(held)
        if place is not None and place.cpus:
            _pin(self.pid, place.cpus)

    @property
    def pid(self) -> int:
        """Of the worker, and of its process group."""
        return self._child.pid

    def print_stacks(self) -> None:
        """Has the worker print where each of its threads is, without the interpreter's help."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)

    def signal_group(self, number: signal.Signals) -> None:
        """Signals the worker and all that it started. Not after ``reap``."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill_all(self) -> None:
        """Kills the worker and all below it, also what has a group of its own. Not after ``reap``.

        A simulator's package may start it in its own group, so that Ctrl-C does not reach it.
        """
        kill_below(self.pid)
        self.signal_group(signal.SIGKILL)

    async def exited(self, timeout: float) -> bool:
        """Whether the worker exits within so many seconds. Leaves it to be reaped."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while _is_running(self.pid):
            if loop.time() >= end:
                return False
            await asyncio.sleep(_POLL)
        return True

    def reap(self) -> str:
        """Ends what is left of the group, and says how the worker ended. Once, after exit."""
        # The dead leader still holds its number, so the signal cannot hit another group.
        self.signal_group(signal.SIGKILL)
        status = self._child.wait()
        os.close(self._lifeline)
        if status >= 0:
            return f"exited with status {status}"
        name = signal.Signals(-status).name
        hint = " (by hand, or by the kernel for want of memory)" if name == "SIGKILL" else ""
        return f"was killed by {name}{hint}"


def _pin(pid: int, cpus: tuple[int, ...]) -> None:
    """Keeps a process that has just been started, and all that it starts, to these cores."""
    try:
        # Done from here, before it has imported anything that starts threads.
        os.sched_setaffinity(pid, cpus)
    except (OSError, AttributeError) as problem:
        _LOG.warning("process %d runs on any core, not on %s: %s", pid, cpus, problem)


def _is_running(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def _import_path() -> str:
    """What this process can import, the worker can."""
    return os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
