"""The interface of every sandbox: it starts agents, which run until they end or are stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class AgentExit:
    """How an agent ended.

    ``code`` is its exit status, negative for a signal. ``out_of_memory``: it was killed because
    it went over its memory limit. ``out_of_time``: because its time limit was over.
    """

    code: int
    out_of_memory: bool = False
    out_of_time: bool = False


class RunningAgent(Protocol):
    """One running agent. A bounded log receives its output."""

    async def wait(self) -> AgentExit:
        """Waits until the agent has exited. Call ``stop`` afterwards. May be cancelled, and
        called again."""

    def log_tail(self, lines: int = 10) -> str:
        """The last lines that the agent wrote."""

    def notices(self) -> list[str]:
        """The lines for the operator that it wrote since the last call (``agent_output.PREFIX``),
        without their prefix; each is fit for a terminal."""

    async def stop(self, patience: float = 2.0) -> None:
        """Asks the agent to end, then kills it and whatever it has started. Idempotent."""


class Sandbox(Protocol):
    """Starts agents of one kind, each of them confined."""

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""

    @property
    def isolation(self) -> str:
        """One line for the user: what an agent in this sandbox can do, and what it cannot."""

    async def start(self, agent_start: AgentStart, log_path: Path) -> RunningAgent:
        """Starts an agent.

        Raises AgentStartError if it cannot be started at all, and ImageMissingError if its image is
        missing. A command that does not exist may instead exit with an error status.
        """

    async def close(self) -> None:
        """Removes everything that was made here. Idempotent."""


# --- What an agent gets at its start


@dataclass(frozen=True, slots=True)
class AgentStart:
    """Where to play, with a token for each of the agent's sessions, and the seed."""

    address: str
    tokens: tuple[str, ...]
    seed: int

    def environment(self) -> dict[str, str]:
        """The variables that the agent finds.

        ``HOUSEGUEST_TOKEN`` is the first token, ``HOUSEGUEST_TOKENS`` all, joined by commas.
        """
        return {
            "HOUSEGUEST_ADDRESS": self.address,
            "HOUSEGUEST_TOKEN": self.tokens[0],
            "HOUSEGUEST_TOKENS": ",".join(self.tokens),
            "HOUSEGUEST_SEED": str(self.seed),
        }
