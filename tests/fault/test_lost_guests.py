"""How a guest was lost is named, with the step at which it was and its last words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from env_service.domain.failure import AgentLossClass, LostAgent
from env_service.gateway.agent_supervisor import AgentSupervisor
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.gateway.violations import MOST_VIOLATIONS
from env_service.results.run_notes import read_agent_failures
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.interface import AgentExit, AgentStart, RunningAgent
from env_service.sandbox.process import ProcessAgent, ProcessSandbox
from tests.support.guests import python
from tests.support.service import (
    OpenService,
    bearer,
    open_service,
    reason_of,
    session_limits,
    skill,
)

PLAYS = """
import os
from houseguest_agent import Client
import grpc

try:
    os.close(os.open({marker!r}, os.O_CREAT | os.O_EXCL))
    FIRST = True
except FileExistsError:
    FIRST = False

def trouble(episode):
{trouble}

with Client("plays") as client:
    for number, episode in enumerate(client.episodes()):
        if FIRST and number == 0:
            trouble(episode)
        episode.act("win")
"""
CALLS_NONSENSE = """
    channel = grpc.insecure_channel(os.environ["HOUSEGUEST_ADDRESS"])
    call = channel.unary_unary("/houseguest.agent.v1.AgentService/Step")
    told = (("authorization", "Bearer " + os.environ["HOUSEGUEST_TOKEN"]),)
    while True:
        try:
            call(b"\\xff garbage", metadata=told)
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                break
"""


@dataclass(frozen=True, slots=True)
class Doctored:
    """A process whose ending is told otherwise: as a container's, say."""

    process: ProcessAgent
    told: AgentExit

    async def wait(self) -> AgentExit:
        await self.process.wait()
        return self.told

    def log_tail(self, lines: int = 10) -> str:
        return self.process.log_tail(lines)

    def notices(self) -> list[str]:
        return self.process.notices()

    async def stop(self, patience: float = 2.0) -> None:
        await self.process.stop(patience)


@dataclass(frozen=True, slots=True)
class Doctoring:
    """A sandbox of such processes, or one in which nothing starts."""

    command: AgentCommand
    told: AgentExit | Exception
    shared: bool = False
    isolation: str = "none"

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        if isinstance(self.told, Exception):
            raise self.told
        return Doctored(await ProcessAgent.start(self.command, agent_start, log_path), self.told)

    async def close(self) -> None:
        """Nothing was made."""


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service(session_limits(step_budget=20.0)) as opened:
        yield opened


def failures(run: Run) -> Counter[str | None]:
    lines = (run.context.folder.path / "episodes.jsonl").read_text(encoding="utf-8").splitlines()
    return Counter(json.loads(line)["failure"] for line in lines)


def noted(run: Run) -> list[dict[str, Any]]:
    return list(read_agent_failures(run.context.folder.logs))


def once(trouble: str, folder: Path) -> AgentCommand:
    """A guest of which the first process gets into trouble, in its first episode."""
    return python(PLAYS.format(trouble=trouble, marker=str(folder / "marker")))


def test_one_that_sends_nonsense_is_dismissed_and_the_others_play_on(
    service: OpenService, tmp_path: Path
) -> None:
    run = service.open_run(limit=6, sessions=2, agent="nonsense")
    sandbox = ProcessSandbox(once(CALLS_NONSENSE, tmp_path))
    service.call(AgentSupervisor(service.server.environment, run, sandbox, service.address).serve())
    assert run.state is RunState.SUCCEEDED
    assert failures(run) == Counter({"protocol_error": 1, None: 5})
    (lost,) = noted(run)
    assert lost["failure"] == "protocol_error"
    assert lost["first_offending_step"]["step"] == 0
    assert lost["offence"].startswith("MALFORMED_REQUEST: ")


def test_a_session_is_dismissed_after_so_many_refusals_and_not_one_sooner(
    service: OpenService,
) -> None:
    run = service.open_run(limit=2, agent="counted")
    agent = service.agent(run)
    agent.begin()
    call = agent.channel.unary_unary("/houseguest.agent.v1.AgentService/Step")

    def refused() -> str:
        with pytest.raises(grpc.RpcError) as caught:
            call(b"\xff", metadata=bearer(service.token(run)))
        return reason_of(caught.value)

    assert {refused() for _ in range(MOST_VIOLATIONS - 1)} == {"MALFORMED_REQUEST"}
    assert agent.step(skill("noop")).status
    assert {refused() for _ in range(MOST_VIOLATIONS - 1)} == {"MALFORMED_REQUEST"}
    assert run.sessions[0].state.ended is None
    refused()
    with pytest.raises(grpc.RpcError) as caught:
        agent.step(skill("noop"))
    assert reason_of(caught.value) == "SESSION_DISMISSED"
    service.call(run.drain())


def test_one_that_crashes_is_named_with_its_step_and_its_last_words(
    service: OpenService, tmp_path: Path
) -> None:
    run = service.open_run(limit=2, agent="crashes")
    trouble = "    episode.act('noop'); print('no more', flush=True); os._exit(7)"
    sandbox = ProcessSandbox(once(trouble, tmp_path))
    service.call(AgentSupervisor(service.server.environment, run, sandbox, service.address).serve())
    assert failures(run) == Counter({"agent_crash": 1, None: 1})
    (lost,) = noted(run)
    assert (lost["failure"], lost["exit_code"], lost["final"]) == ("agent_crash", 7, False)
    assert lost["first_offending_step"]["step"] == 1
    crashed = lost["first_offending_step"]["episode_id"]
    assert (run.context.folder.path / "transcripts" / f"{crashed}.jsonl").exists()
    assert lost["log_tail"] == "no more"


@pytest.mark.parametrize(
    ("told", "failure", "final"),
    [
        (AgentExit(-9, out_of_memory=True), "agent_oom", False),
        (AgentExit(-9, out_of_time=True), "agent_timeout", True),
    ],
)
def test_what_the_sandbox_says_of_the_end_is_the_episodes_failure(
    service: OpenService, tmp_path: Path, told: AgentExit, failure: str, *, final: bool
) -> None:
    run = service.open_run(limit=2, agent=failure)
    sandbox = Doctoring(once("    os._exit(1)", tmp_path), told)
    guests = AgentSupervisor(service.server.environment, run, sandbox, service.address)
    service.call(guests.serve())
    assert failures(run)[failure] == 1
    assert noted(run)[0]["failure"] == failure
    assert bool(guests.lost) is final
    service.call(run.drain())


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (ImageMissingError("there is no image x"), AgentLossClass.IMAGE_MISSING),
        (AgentStartError("no such entry point"), AgentLossClass.START_FAILED),
    ],
)
def test_one_that_cannot_be_started_is_not_tried_again(
    service: OpenService, error: Exception, failure: AgentLossClass
) -> None:
    run = service.open_run(limit=1, agent=failure.value)
    guests = AgentSupervisor(
        service.server.environment, run, Doctoring(AgentCommand(("x",)), error), service.address
    )
    service.call(guests.serve())
    assert guests.lost == [LostAgent(failure, (0,), None, 1, "", problem=str(error), final=True)]
    service.call(run.drain())


def test_one_that_never_comes_did_not_start(service: OpenService) -> None:
    run = service.open_run(limit=1, agent="sleeps")
    sandbox = ProcessSandbox(python("import time; time.sleep(60)"))
    guests = AgentSupervisor(
        service.server.environment, run, sandbox, service.address, start_seconds=0.2
    )
    service.call(guests.serve())
    (lost,) = guests.lost
    assert lost.failure is AgentLossClass.START_FAILED
    assert lost.problem == "it did not attach in 0.2 s"
    service.call(run.drain())
