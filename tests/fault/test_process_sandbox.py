"""A plain process as a sandbox: what little it can do."""

from __future__ import annotations

import asyncio
from pathlib import Path

from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.interface import AgentExit, AgentStart
from env_service.sandbox.process import ProcessSandbox

AGENT_START = AgentStart("unix:/nowhere", ("token",), seed=7)
STAYS = AgentCommand(("sh", "-c", 'trap "" TERM; echo "$MY_KEY"; sleep 3600; sleep 3600'))


def test_an_agent_is_killed_when_its_time_is_over(tmp_path: Path) -> None:
    async def scene() -> tuple[AgentExit, str]:
        sandbox = ProcessSandbox(STAYS, seconds=0.5, environment={"MY_KEY": "k"})
        agent = await sandbox.start(AGENT_START, tmp_path / "log")
        try:
            return await agent.wait(), agent.log_tail(1)
        finally:
            await agent.stop()
            await sandbox.close()

    assert asyncio.run(scene())[0] == AgentExit(-9, out_of_time=True)


def test_an_agent_that_is_done_in_time_is_not(tmp_path: Path) -> None:
    async def scene() -> tuple[AgentExit, str]:
        words = AgentCommand(("sh", "-c", 'echo "$MY_KEY $HOUSEGUEST_SEED"; exit 3'))
        extra = {"MY_KEY": "k", "HOUSEGUEST_SEED": "8"}
        sandbox = ProcessSandbox(words, seconds=600, environment=extra)
        agent = await sandbox.start(AGENT_START, tmp_path / "log")
        ending = await agent.wait()
        await agent.stop()
        return ending, agent.log_tail(1)

    assert asyncio.run(scene()) == (AgentExit(3), "k 7")
