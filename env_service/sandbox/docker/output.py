"""Follows a container from before its start to its end, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docker.client import DockerClient
from docker.errors import NotFound
from docker.utils.socket import frames_iter

from env_service.engine.log import BoundedLog
from env_service.sandbox.docker.engine import FAILURES, reason
from env_service.sandbox.output import BYTES_A_SECOND

_LOOKS = 10
"""Times that an engine is asked that does not answer."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a container's first process ended: its exit status as the engine has it."""

    status: int
    out_of_memory: bool = False


class Follower:
    """Takes in what one container writes, then learns how it ended.

    The thread never stops reading: a container whose output nobody takes can be neither stopped
    nor removed (measured: removing it waits until the reader has gone).
    """

    def __init__(self, client: DockerClient, container: str, log: BoundedLog) -> None:
        self._client, self._container, self._log = client, container, log
        self._loop = asyncio.get_running_loop()
        self.stopped: asyncio.Future[Stopped] = self._loop.create_future()
        """Done once the container runs no more, and all that it wrote is in the log."""
        self.spoke = asyncio.Event()
        """Set once it has written anything, or has ended."""
        self._hurried = threading.Event()

    def follow(self, stream: Any) -> None:
        """Begins with the output, which was attached to before the start."""
        name = f"guest-{self._container[:12]}"
        threading.Thread(target=self._run, args=(stream,), name=name, daemon=True).start()

    def hurry(self) -> None:
        """From here on takes in what is left as fast as it comes."""
        self._hurried.set()

    def _run(self, stream: Any) -> None:
        with contextlib.suppress(*FAILURES):
            self._read(stream)
        with contextlib.suppress(*FAILURES):
            stream.close()
        stopped = self._until_stopped()
        self._tell(lambda: self._settle(stopped))

    def _read(self, stream: Any) -> None:
        window, taken, first = time.monotonic(), 0, True
        frames = frames_iter(stream, tty=False)  # type: ignore[no-untyped-call] # not in its stubs
        for _kind, data in frames:
            self._log.write(data)
            if first:
                first = False
                self._tell(self.spoke.set)
            taken += len(data)
            if taken >= BYTES_A_SECOND:
                self._hurried.wait(max(0.0, window + 1.0 - time.monotonic()))
                window, taken = time.monotonic(), 0

    def _until_stopped(self) -> Stopped:
        """A container may close its output and live on."""
        failures, pause = 0, 0.02
        while failures < _LOOKS:
            try:
                state = self._client.api.inspect_container(self._container)["State"]
            except NotFound:
                # Somebody removed it, which kills it.
                return Stopped(137)
            except FAILURES as error:
                failures += 1
                self._log.write(f"\n[the engine does not answer: {reason(error)}]\n".encode())
            else:
                failures = 0
                if state["Status"] not in ("running", "paused", "restarting", "created"):
                    return self._judge(state)
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
        # Docker's own status for an engine that failed.
        return Stopped(125)

    def _judge(self, state: dict[str, Any]) -> Stopped:
        status, killed = int(state["ExitCode"]), bool(state["OOMKilled"])
        if status == 137 and not killed:
            # Word of the memory comes on another way than word of the end, and may be later.
            time.sleep(0.2)
            with contextlib.suppress(*FAILURES):
                later = self._client.api.inspect_container(self._container)["State"]
                killed = bool(later["OOMKilled"])
        return Stopped(status, out_of_memory=killed and status != 0)

    def _settle(self, stopped: Stopped) -> None:
        if not self.stopped.done():
            self.stopped.set_result(stopped)
        self.spoke.set()

    def _tell(self, what: Callable[[], object]) -> None:
        # The loop may have gone before the thread.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)
