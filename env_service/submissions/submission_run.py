"""Plays a run of a submission from start to end, without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from env_service.domain.failure import LostAgent
from env_service.domain.session import SessionLimits
from env_service.gateway.agent_supervisor import START_SECONDS, AgentSupervisor
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import (
    GrpcServer,
    GrpcServerOptions,
    PrivateEndpoints,
    private_endpoints,
)
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.run_state import Counts, RunEvent
from env_service.gateway.runtime import service_log
from env_service.results.run_layout import SERVICE_LOG
from env_service.results.summary import Summary
from env_service.sandbox.factory import open_recorded
from env_service.sandbox.interface import AgentStart, RunningAgent, Sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.storage.signing_key import SigningKey
from env_service.submissions.package import Startable

Watch = Callable[[Counts, Sequence[RunEvent]], None]
"""Called regularly with a run's counts, and with its events since the last call."""
_TICK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class PlayOrder:
    """What to play, with which agent, and in which sandbox.

    Run folders are written below ``out`` and signed with ``key``. ``step_budget`` is the agent time
    for one decision in seconds; ``start_seconds`` is the time that an agent may take to attach.
    """

    request: RunRequest
    startable: Startable
    sandbox: SandboxOptions
    out: Path
    key: SigningKey
    step_budget: float = 600.0
    start_seconds: float = START_SECONDS


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """The outcome of a run.

    ``lost`` lists the agents whose sessions were given up. ``stopped`` says why the run ended
    before its last episode; it is empty if the run did not. ``sandbox`` has the sandbox's facts.
    """

    folder: Path
    run_id: str
    summary: Summary
    lost: tuple[LostAgent, ...]
    stopped: str
    withdrawn: bool
    isolation: str
    sandbox: Mapping[str, Any] = field(default_factory=dict)


async def play(order: PlayOrder, watch: Watch) -> PlayedRun:
    """Plays the run to its end, or resumes it where an earlier process was stopped.

    If it is cancelled, it stops every agent and leaves a run that can resume. Raises the errors of
    ``EnvironmentService.open_run`` and ``open_recorded``, and OSError if no summary can be written.
    """
    opened = await asyncio.to_thread(open_recorded, order.startable.launch, order.sandbox)
    sandbox: Sandbox = _Sharing(opened.sandbox) if order.startable.launch.shared else opened.sandbox
    try:
        with private_endpoints() as place:
            async with GrpcServer(_service_options(order, place)) as service:
                request = replace(order.request, sandbox_facts=opened.facts)
                run = await service.environment.open_run(request)
                with service_log(run.context.folder.logs / SERVICE_LOG):
                    agents = AgentSupervisor(
                        service.environment,
                        run,
                        sandbox,
                        service.agent_addresses[0],
                        order.start_seconds,
                    )
                    await _serve(run, agents, watch)
    finally:
        await sandbox.close()
    if run.summary is None:
        raise OSError(0, "the summary could not be written", str(run.context.folder.path))
    return PlayedRun(
        folder=run.context.folder.path,
        run_id=run.run_id,
        summary=run.summary,
        lost=tuple(agents.lost),
        stopped=run.stopped,
        withdrawn=any(map(run.withdrawn, range(run.session_count))),
        isolation=sandbox.isolation,
        sandbox=opened.facts,
    )


async def _serve(run: Run, agents: AgentSupervisor, watch: Watch) -> None:
    watch(run.counts(), ())
    if run.over:
        return
    watching = asyncio.ensure_future(_watch(run, watch))
    try:
        await agents.serve()
        if agents.lost and not run.over:
            run.broke_down("; ".join(_described(each) for each in agents.lost))
    finally:
        await run.drain()
        await watching


async def _watch(run: Run, watch: Watch) -> None:
    cursor = 0
    while True:
        try:
            events = await asyncio.wait_for(run.events_after(cursor), _TICK_SECONDS)
        except TimeoutError:
            watch(run.counts(), ())
            continue
        if not events:
            return
        cursor += len(events)
        watch(run.counts(), events)


def _described(lost: LostAgent) -> str:
    problem = f" ({lost.problem})" if lost.problem else ""
    return f"{lost.failure.value}: the agent of session {lost.sessions[0]} was lost{problem}"


def _service_options(order: PlayOrder, place: PrivateEndpoints) -> GrpcServerOptions:
    limits = ServiceLimits(
        session=replace(SessionLimits(), step_budget=order.step_budget),
        max_sessions=max(order.request.sessions, ServiceLimits().max_sessions),
    )
    return GrpcServerOptions(
        runs=order.out,
        key=order.key,
        agents=Endpoint((place.agents,)),
        control=Endpoint((place.control,)),
        limits=limits,
    )


class _Sharing:
    """A sandbox in which one agent plays every session of a run, as its manifest declares."""

    shared = True

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @property
    def isolation(self) -> str:
        """The isolation of the sandbox."""
        return self._sandbox.isolation

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        """Starts an agent in the sandbox."""
        return await self._sandbox.start(agent_start, log_path)

    async def close(self) -> None:
        """Closes the sandbox."""
        await self._sandbox.close()
