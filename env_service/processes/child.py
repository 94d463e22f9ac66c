"""Child processes of the service, awaited on its event loop.

Every child starts through ``subprocess.Popen`` and never through the event loop. uvloop forks, and
runs Python's after-fork code in the child before the command replaces it: hooks, locks and the
destructors of objects whose threads the child does not have. The service has threads of gRPC, so
such a child can crash or hang before the agent runs a line. ``Popen`` without a ``preexec_fn``
runs no Python in the child.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from functools import partial
from typing import Any

_POLL = 0.05
"""Seconds between two checks whether a child has exited, without process descriptors."""


class ChildProcess:
    """One child process. Any thread may start it; one event loop waits for it.

    A child that has exited keeps its number until ``reap``, so a signal to it or to its group never
    reaches another process.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        """Starts the command, which takes milliseconds. ``options``: those of ``subprocess.Popen``.

        Raises OSError if it cannot start, and ValueError for a ``preexec_fn``.
        """
        if options.get("preexec_fn") is not None:
            raise ValueError("preexec_fn: a child of the service runs no Python before its command")
        self._popen: subprocess.Popen[bytes] = subprocess.Popen(command, **options)

    @staticmethod
    async def start(command: Sequence[str], **options: Any) -> ChildProcess:
        """Starts the command in a thread, as ``ChildProcess`` does.

        If the caller is cancelled meanwhile, the child is killed.
        """
        start = partial(ChildProcess, command, **options)
        starting = asyncio.get_running_loop().run_in_executor(None, start)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The caller closes what it passes on, so the thread must be done with it first.
            while not starting.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({starting})
            if starting.exception() is None:
                child = starting.result()
                child.send_signal(signal.SIGKILL)
                child.reap()
            raise

    @property
    def pid(self) -> int:
        """The process id. It is also that of its group, if it was started in a new session."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether the child has not exited yet."""
        return self._exit_status() is None

    async def wait(self) -> int:
        """Waits until the child has exited. Does not reap it.

        Returns the exit status, or minus the number of the signal that ended the child.
        """
        while (status := self._exit_status()) is None:
            await _next_check(self.pid)
        return status

    async def exits(self, seconds: float) -> bool:
        """Waits up to so many seconds; returns whether the child has exited. Does not reap it."""
        if self.running and seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.wait(), seconds)
        return not self.running

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal to the child. Does nothing once it has exited."""
        if self._popen.returncode is None:
            os.kill(self.pid, number)

    def signal_group(self, number: signal.Signals) -> None:
        """Sends a signal to the group that the child leads, also to members that outlived it.

        Not after ``reap``.
        """
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _exit_status(self) -> int | None:
        if self._popen.returncode is not None:
            return self._popen.returncode
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            # Another thread reaps it at this moment.
            return self._popen.wait()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def reap(self) -> int:
        """Waits for the exit without the event loop, and gives the number back to the system.

        Returns what ``wait`` returns. May be called twice.
        """
        return self._popen.wait()


async def _next_check(pid: int) -> None:
    """Returns when the child has exited or, without process descriptors, after a pause."""
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):
        await asyncio.sleep(_POLL)
        return
    loop = asyncio.get_running_loop()
    exited = asyncio.Event()
    loop.add_reader(descriptor, exited.set)
    try:
        await exited.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
