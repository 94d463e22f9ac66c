"""What came back from an action."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import action_pb2, agent_pb2

from .action import Action
from .enums import EpisodeStatus, OutcomeCode
from .observation import Observation


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the world took one action. A refusal is an ordinary answer.

    ``feedback`` is what the agent is told, in the suite's words; empty where nothing is.
    """

    code: OutcomeCode
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left: steps, and agent time in seconds. None where the suite does not tell."""

    steps: int | None = None
    agent_time: float | None = None


@dataclass(frozen=True, slots=True)
class PastStep:
    """One executed step of an episode's history."""

    action: Action
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one action.

    ``outcomes`` has one entry, or one for each executed step of a plan; none when the house
    had closed the episode before. ``observation`` is then the one from before.
    """

    outcomes: tuple[Outcome, ...]
    observation: Observation
    status: EpisodeStatus
    remaining: Budget

    @property
    def outcome(self) -> Outcome | None:
        """The last outcome; None when nothing was executed."""
        return self.outcomes[-1] if self.outcomes else None


def read_outcomes(messages: Iterable[action_pb2.ActionOutcome]) -> tuple[Outcome, ...]:
    """Reads the outcomes of one step."""
    return tuple([Outcome(OutcomeCode(each.code), each.feedback) for each in messages])


def read_budget(response: agent_pb2.StepResponse) -> Budget:
    """Reads what the suite tells of the budgets."""
    if not response.HasField("remaining"):
        return _NOT_TOLD
    remaining = response.remaining
    return Budget(
        remaining.steps if remaining.HasField("steps") else None,
        seconds(remaining.agent_time) if remaining.HasField("agent_time") else None,
    )


def seconds(duration: Duration) -> float:
    """A protobuf Duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


_NOT_TOLD = Budget()
