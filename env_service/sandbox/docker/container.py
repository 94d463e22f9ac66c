"""A guest in a container."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from dataclasses import dataclass
from typing import Any

from docker.client import DockerClient
from docker.errors import APIError, NotFound

from env_service.sandbox.docker.engine import FAILURES, Calls, reason
from env_service.sandbox.docker.output import Follower
from env_service.sandbox.errors import GuestStartError
from env_service.sandbox.guest import Ending
from env_service.sandbox.notices import GuestLog

LOG = logging.getLogger(__name__)
START_GRACE = 1.0
"""Seconds in which a program that cannot be run at all is told from one that ends at once."""
_INIT_FAILED = "[FATAL tini"
"""How the first process of a container, Docker's tini, begins its word that it cannot start the
guest's program."""
_NOT_RUN = (126, 127)
"""Its exit statuses then: not executable, and not found."""
_REMOVING = 409


@dataclass(frozen=True, slots=True)
class Launched:
    """A container that was started: its id, and the stream of its output."""

    container: str
    stream: Any


def launch(client: DockerClient, settings: dict[str, Any]) -> Launched:
    """Creates a container, attaches to its output and starts it.

    What was made is removed where that fails. Raises FAILURES.
    """
    container = str(client.containers.create(**settings).id)
    stream = None
    try:
        # Before the start: what is written earlier than that goes nowhere.
        wanted = {"stdout": 1, "stderr": 1, "stream": 1}
        stream = client.api.attach_socket(container, params=wanted)
        client.api.start(container)
    except BaseException:
        if stream is not None:
            stream.close()
        # What cannot be removed now goes with the sandbox.
        with contextlib.suppress(*FAILURES):
            remove(client, container)
        raise
    return Launched(container, stream)


def remove(client: DockerClient, container: str) -> None:
    """Kills and removes a container with its volumes; one that is gone is no error.

    Raises FAILURES.
    """
    try:
        client.api.remove_container(container, force=True, v=True)
    except NotFound:
        pass
    except APIError as error:
        if error.status_code != _REMOVING:
            raise


class DockerGuest:
    """One running container. Its output goes to a bounded log."""

    def __init__(
        self, client: DockerClient, calls: Calls, launched: Launched, log: GuestLog
    ) -> None:
        self._client, self._calls, self._log = client, calls, log
        self.container = launched.container
        """The container's id."""
        self._follower = Follower(client, launched.container, log)
        self._follower.follow(launched.stream)
        self._out_of_time = False
        self._timer: asyncio.Task[None] | None = None
        self._removed = False

    def limit(self, seconds: float) -> None:
        """Kills the guest when so much time has passed from now on."""
        self._timer = asyncio.ensure_future(self._end_after(seconds))

    async def check_started(self) -> None:
        """Raises GuestStartError where the image's program cannot be run."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._follower.spoke.wait(), START_GRACE)
        if not self.log_tail().startswith(_INIT_FAILED):
            return
        status = (await asyncio.shield(self._follower.stopped)).status
        if status in _NOT_RUN:
            told = self.log_tail().partition("] ")[2].splitlines()[0]
            program = told.removeprefix("exec ").replace(" failed: ", ": ")
            raise GuestStartError(f"the image's entry point cannot be run: {program}")

    async def wait(self) -> Ending:
        """How it ended, once it is gone; ``stop`` still has to be called."""
        stopped = await asyncio.shield(self._follower.stopped)
        return Ending(
            code=exit_code(stopped.status),
            out_of_memory=stopped.out_of_memory and not self._out_of_time,
            out_of_time=self._out_of_time,
        )

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the guest wrote."""
        return self._log.tail(lines)

    def notices(self) -> list[str]:
        """What it has told the operator since the last call."""
        return self._log.take_notices()

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the guest to end, then removes its container. Idempotent."""
        if self._removed:
            return
        if self._timer is not None:
            self._timer.cancel()
        stopped = self._follower.stopped
        if not stopped.done() and patience > 0:
            await self._kill("SIGTERM")
            await asyncio.wait({stopped}, timeout=patience)
        self._follower.hurry()
        try:
            await self._calls.make(remove, self._client, self.container)
        except FAILURES as error:
            # The sandbox removes it when it is closed.
            LOG.warning("container %s was not removed: %s", self.container[:12], reason(error))
        self._removed = True
        # Its last words.
        await asyncio.wait({stopped}, timeout=5.0)
        self._log.close()

    async def _end_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if not self._follower.stopped.done():
            self._out_of_time = True
            await self._kill("SIGKILL")

    async def _kill(self, sign: str) -> None:
        # It may have ended meanwhile; what still runs is removed in the end.
        with contextlib.suppress(*FAILURES):
            await self._calls.make(self._client.api.kill, self.container, sign)


def exit_code(status: int) -> int:
    """The status as a process has it: 137, the shell's way to say SIGKILL, becomes -9."""
    if status - 128 in signal.valid_signals():
        return 128 - status
    return status
