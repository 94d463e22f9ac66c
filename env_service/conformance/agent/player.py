"""Plays one scene with one agent."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from env_service.conformance.agent.journal import CallJournal
from env_service.conformance.agent.options import AgentOptions
from env_service.conformance.agent.scene import ConformanceScene, PlayedScene, SceneScript
from env_service.conformance.agent.service import ScriptedService
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent, Sandbox

GOODBYE_SECONDS = 10.0
"""Seconds that an agent has to exit after AllDone."""
STOP_SECONDS = 5.0
"""Seconds that an agent has to exit after it is asked to."""
_POLL = 0.05
_SETTLED = 1.0
"""An external agent has left after so many seconds without a stream and without a call."""
_LOG_LINES = 12


@dataclass(slots=True)
class _Clock:
    """The agent's remaining time; restarts with its first Hello."""

    journal: CallJournal
    options: AgentOptions
    waits: float
    started: float = field(default_factory=time.monotonic)

    def over(self) -> bool:
        """Whether the time is up."""
        now = time.monotonic()
        done = self.journal.marks.get("all done")
        if done is not None and now - done > GOODBYE_SECONDS:
            return True
        if not self.journal.calls:
            return now - self.started > self.options.start_limit
        begun = self.journal.calls[0].at
        return now - begun > self.options.scene_limit + self.waits


class ScenePlayer:
    """Plays scenes, with agents that a sandbox starts, or with external ones if it is None."""

    def __init__(self, sandbox: Sandbox | None, options: AgentOptions) -> None:
        self._sandbox, self._options = sandbox, options
        self._token = options.token or secrets.token_urlsafe(16)

    @property
    def token(self) -> str:
        """The token that every agent has to send."""
        return self._token

    @property
    def external(self) -> bool:
        """Whether the agents are started outside the kit."""
        return self._sandbox is None

    async def play(self, scene: ConformanceScene, script: SceneScript, name: str) -> PlayedScene:
        """Plays a scene's script to its end and logs the agent's output under ``name``.

        Raises AgentStartError if no agent can be started.
        """
        journal = CallJournal()
        async with self._service(script, journal) as service:
            clock = _Clock(journal, self._options, scene.waits)
            if self._sandbox is None:
                return await self._external(service, clock)
            return await self._managed(service, clock, self._sandbox, name)

    @asynccontextmanager
    async def _service(
        self, script: SceneScript, journal: CallJournal
    ) -> AsyncIterator[ScriptedService]:
        with _readable_folder() as folder:
            address = self._options.listen or f"unix:{folder}/agent.sock"
            service = ScriptedService(script, address, self._token, journal)
            await service.start()
            try:
                yield service
            finally:
                await service.stop()

    async def _managed(
        self, service: ScriptedService, clock: _Clock, sandbox: Sandbox, name: str
    ) -> PlayedScene:
        with tempfile.TemporaryDirectory(prefix="houseguest-logs-") as spare:
            log = (self._options.logs or Path(spare)) / f"{name}.log"
            start = AgentStart(service.address, (self._token,), seed=1)
            agent = await sandbox.start(start, log)
            try:
                ending, stopping = await _attend(agent, service, clock)
            finally:
                await agent.stop()
            return replace(
                _played(service, left=ending is not None),
                ending=ending,
                stopping=stopping,
                log=agent.log_tail(_LOG_LINES),
            )

    async def _external(self, service: ScriptedService, clock: _Clock) -> PlayedScene:
        while not clock.over() and not service.stop_agent.is_set():
            if _has_left(service):
                return replace(_played(service, left=True), external=True)
            await asyncio.sleep(_POLL)
        return replace(_played(service, left=False), external=True)


@contextmanager
def _readable_folder() -> Iterator[Path]:
    """A folder for a socket. All users can read it: an agent in a container may run as another."""
    with tempfile.TemporaryDirectory(prefix="houseguest-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


async def _attend(
    agent: RunningAgent, service: ScriptedService, clock: _Clock
) -> tuple[AgentExit | None, float | None]:
    """How the agent exited, and how many seconds it took after it was asked to.

    The exit is None if the agent had to be stopped, the seconds if it was not asked to exit.
    """
    gone = asyncio.ensure_future(agent.wait())
    try:
        while not clock.over():
            with suppress(TimeoutError):
                return await asyncio.wait_for(asyncio.shield(gone), _POLL), None
            if service.stop_agent.is_set():
                asked = time.monotonic()
                await agent.stop(STOP_SECONDS)
                return await gone, time.monotonic() - asked
        return None, None
    finally:
        gone.cancel()


def _has_left(service: ScriptedService) -> bool:
    """Whether an external agent has left: another one has called Hello, or it holds no stream and
    has made no call for a while."""
    if service.successor.is_set():
        return True
    calls, now = service.journal.calls, time.monotonic()
    if not calls or service.attachments.open:
        return False
    return now - max(calls[-1].at, service.attachments.closed_at or 0.0) > _SETTLED


def _played(service: ScriptedService, *, left: bool) -> PlayedScene:
    """The play as the service recorded it."""
    return PlayedScene(
        service.journal,
        ending=None,
        left=left,
        referred=service.session.referred,
        sent_large=service.session.sent_large,
        struck=all(fault in service.faults.struck for fault in service.script.faults),
    )
