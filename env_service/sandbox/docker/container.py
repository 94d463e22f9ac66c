"""Agents in containers: start, output and removal, and the errors of an engine that cannot
start one.
"""

import asyncio
import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docker.client import DockerClient
from docker.errors import APIError, ImageNotFound, NotFound
from docker.utils.socket import frames_iter

from env_service.processes.bounded_log import BoundedLog
from env_service.sandbox.agent_output import BYTES_A_SECOND, AgentLog
from env_service.sandbox.docker.engine import FAILURES, Calls, reason
from env_service.sandbox.docker.owner import LABEL, OWNER_LABEL, Owner
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.interface import AgentExit

LOG = logging.getLogger(__name__)
START_GRACE = 1.0
"""Seconds in which to distinguish a program that cannot run from one that ends at once."""
_INIT_FAILED = "[FATAL tini"
"""How Docker's tini, the first process of a container, begins its message that it cannot start
the agent's program."""
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
        # Before the start: what is written earlier is lost.
        wanted = {"stdout": 1, "stderr": 1, "stream": 1}
        stream = client.api.attach_socket(container, params=wanted)
        client.api.start(container)
    except BaseException:
        if stream is not None:
            stream.close()
        # The sandbox removes later what cannot be removed now.
        with contextlib.suppress(*FAILURES):
            remove(client, container)
        raise
    return Launched(container, stream)


def remove(client: DockerClient, container: str) -> None:
    """Kills and removes a container with its volumes. A missing container is not an error.

    Raises FAILURES.
    """
    try:
        client.api.remove_container(container, force=True, v=True)
    except NotFound:
        pass
    except APIError as error:
        if error.status_code != _REMOVING:
            raise


class DockerAgent:
    """One running container. A bounded log receives its output."""

    def __init__(
        self, client: DockerClient, calls: Calls, launched: Launched, log: AgentLog
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
        """Kills the agent when so much time has passed from now on."""
        self._timer = asyncio.ensure_future(self._end_after(seconds))

    async def check_started(self) -> None:
        """Raises AgentStartError where the image's program cannot be run."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._follower.spoke.wait(), START_GRACE)
        if not self.log_tail().startswith(_INIT_FAILED):
            return
        status = (await asyncio.shield(self._follower.stopped)).status
        if status in _NOT_RUN:
            said = self.log_tail().partition("] ")[2].splitlines()[0]
            program = said.removeprefix("exec ").replace(" failed: ", ": ")
            raise AgentStartError(f"the image's entry point cannot be run: {program}")

    async def wait(self) -> AgentExit:
        """Waits until it has ended, and returns how; ``stop`` still has to be called."""
        stopped = await asyncio.shield(self._follower.stopped)
        return AgentExit(
            code=exit_code(stopped.status),
            out_of_memory=stopped.out_of_memory and not self._out_of_time,
            out_of_time=self._out_of_time,
        )

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the agent wrote."""
        return self._log.tail(lines)

    def notices(self) -> list[str]:
        """Its notices for the operator since the last call."""
        return self._log.take_notices()

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the agent to end, then removes its container. Idempotent."""
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


# --- Follows a container from before its start to its end, in a thread

_LOOKS = 10
"""Times that an engine is asked that does not answer."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a container's first process ended: its exit status as the engine has it."""

    status: int
    out_of_memory: bool = False


class Follower:
    """Reads what one container writes, then how it ended.

    The thread never stops reading: a container whose output is not read can be neither stopped nor
    removed (measured: its removal waits until the reader has closed).
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
        self._call_soon(lambda: self._settle(stopped))

    def _read(self, stream: Any) -> None:
        window, taken, first = time.monotonic(), 0, True
        frames = frames_iter(stream, tty=False)  # type: ignore[no-untyped-call] # not in its stubs
        for _kind, data in frames:
            self._log.write(data)
            if first:
                first = False
                self._call_soon(self.spoke.set)
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

    def _call_soon(self, what: Callable[[], object]) -> None:
        # The loop may have ended before the thread.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what)


# --- Errors of the engine when it starts an agent, with what to mend

_REMEDIES = {
    "could not select device driver": "the engine cannot give agents a GPU: install"
    " nvidia-container-toolkit, then run `sudo nvidia-ctk runtime configure --runtime=docker` and"
    " restart Docker",
    "nvidia-container-cli": "NVIDIA's container toolkit failed: check that nvidia-smi works on this"
    " machine and that --guest-gpus names existing GPUs",
    "no command specified": "the image has neither ENTRYPOINT nor CMD: give it one, or name the"
    " program with --agent-args",
    "bind source path does not exist": "the engine cannot access this machine's folders: it must"
    " run on this machine, with access to the folder of the service's socket (TMPDIR)",
    "executable file not found": "the image's entry point does not exist",
    "exec format error": "the image was built for another kind of processor",
    "minimum memory": "--guest-memory is too small",
}
"""By words of the engine's message, in lower case. The first that is found counts."""


def start_error(reference: str, error: BaseException) -> AgentStartError:
    """The error for a user whose agent the engine could not start."""
    said = reason(error)
    if isinstance(error, ImageNotFound):
        return ImageMissingError(f"the image {reference} has been removed from the engine: {said}")
    found = (remedy for words, remedy in _REMEDIES.items() if words in said.lower())
    remedy = next(found, "")
    why = f"{remedy} ({said})" if remedy else said
    return AgentStartError(f"cannot start an agent of the image {reference}: {why}")


# --- Removing containers by their owner


def owned(client: DockerClient) -> dict[str, Owner]:
    """Every container of any service, by its id. Raises FAILURES."""
    found = client.api.containers(all=True, filters={"label": LABEL})
    owners = ((each["Id"], (each.get("Labels") or {}).get(OWNER_LABEL, "")) for each in found)
    return {
        container: owner for container, text in owners if (owner := Owner.parse(text)) is not None
    }


def remove_owned(client: DockerClient, owner: Owner) -> int:
    """Removes what a service has; returns how many containers there were. Raises FAILURES."""
    mine = [container for container, each in owned(client).items() if each == owner]
    for container in mine:
        remove(client, container)
    return len(mine)


def sweep(client: DockerClient) -> int:
    """Removes the containers of services that have ended; returns how many.

    A container that another sweep removes at the same time is not an error. Raises FAILURES.
    """
    removed = 0
    for container, owner in owned(client).items():
        if owner.is_gone():
            with contextlib.suppress(*FAILURES):
                remove(client, container)
                removed += 1
    return removed
