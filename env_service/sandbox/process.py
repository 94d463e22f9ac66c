"""An agent as a plain process, with no isolation: for code that you trust."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from env_service.processes.child import ChildProcess
from env_service.sandbox.agent_output import AgentOutput
from env_service.sandbox.agents import AgentCommand
from env_service.sandbox.interface import AgentExit, AgentStart

_SESSION_VARIABLES = {
    *("HOUSEGUEST_ADDRESS", "HOUSEGUEST_TOKEN", "HOUSEGUEST_TOKENS", "HOUSEGUEST_SEED"),
    *("HOUSEGUEST_CA", "HOUSEGUEST_STATE_FILE", "GRPC_ENABLE_FORK_SUPPORT"),
}


class ProcessAgent:
    """One running agent. A bounded log receives its output.

    It leads its own process group, so that Ctrl-C in the terminal reaches the service only. If the
    service dies, the kernel kills the agent.
    """

    def __init__(self, child: ChildProcess, output: AgentOutput, lifeline: int) -> None:
        """The agent dies when ``lifeline``, the writing end of a pipe, is closed."""
        self._child = child
        self._output = output
        self._lifeline = lifeline
        self._timer: asyncio.TimerHandle | None = None
        self._out_of_time = False

    @staticmethod
    async def start(
        agent: AgentCommand,
        agent_start: AgentStart,
        log_path: Path,
        environment: Mapping[str, str] | None = None,
    ) -> ProcessAgent:
        """Starts the agent's command. A command that does not exist exits with code 1.

        ``environment`` is added to the service's own.
        """
        output = AgentOutput(log_path)
        reading, writing = os.pipe()
        leash = (sys.executable, "-m", "env_service.sandbox.die_with_parent", str(reading))
        try:
            child = await ChildProcess.start(
                (*leash, *agent.command),
                env=_clean({**os.environ, **(environment or {})}) | agent_start.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output.end,
                stderr=output.end,
                pass_fds=(reading,),
                start_new_session=True,
            )
        except BaseException:
            os.close(writing)
            await output.close()
            raise
        finally:
            os.close(reading)
        started = ProcessAgent(child, output, writing)
        try:
            await output.begin()
        except BaseException:
            # The caller cannot stop it yet: cancelled here, it would live as long as the service.
            await started.stop(patience=0)
            raise
        return started

    async def wait(self) -> AgentExit:
        """Waits until the agent has exited. Call ``stop`` afterwards, to end what it started."""
        return AgentExit(await self._child.wait(), out_of_time=self._out_of_time)

    def limit(self, seconds: float) -> None:
        """Kills the agent when so much time has passed from now on."""
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the agent wrote."""
        return self._output.log.tail(lines)

    def notices(self) -> list[str]:
        """Its notices for the operator since the last call."""
        return self._output.log.take_notices()

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the agent to end, then kills it and whatever it has started. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
        if self._child.running:
            self._child.signal_group(signal.SIGTERM)
            await self._child.exits(patience)
        if self._lifeline >= 0:
            # Its children may live on in its group, even if the agent has exited.
            self._child.signal_group(signal.SIGKILL)
            await self._child.wait()
            self._child.reap()
            lifeline, self._lifeline = self._lifeline, -1
            await self._output.close()
            os.close(lifeline)

    def _end(self) -> None:
        if self._child.running:
            self._out_of_time = True
            self._child.signal_group(signal.SIGKILL)


class ProcessSandbox:
    """Starts a command as a plain process of the user who runs the service: no sandbox at all."""

    isolation = "none (a plain process with your permissions)"

    def __init__(
        self,
        agent: AgentCommand,
        seconds: float | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``seconds`` bounds an agent's life; None: unbounded. ``environment`` is passed on."""
        self._agent, self._seconds, self._environment = agent, seconds, environment

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self._agent.shared

    async def start(self, agent_start: AgentStart, log_path: Path) -> ProcessAgent:
        """Starts an agent. A command that does not exist exits with code 1."""
        agent = await ProcessAgent.start(self._agent, agent_start, log_path, self._environment)
        if self._seconds is not None:
            agent.limit(self._seconds)
        return agent

    async def close(self) -> None:
        """Nothing was made."""


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The service's environment, without what is meant for us or another session."""
    return {name: value for name, value in environment.items() if name not in _SESSION_VARIABLES}
