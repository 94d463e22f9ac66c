"""What came back from an action, and what a practice lease tells of an episode that has ended."""

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

    ``outcomes`` has one entry, or one for each executed step of a plan; none when the service
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


# --- What a practice lease tells of an episode that has ended


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """How an episode of a practice lease went; it counts nowhere.

    ``goal_conditions_met`` of ``goal_conditions_total`` hold at the end, those that held from the
    start included; ``success`` when all do. ``failure`` says why it did not succeed
    ("max_steps", …), and is empty where it did.

    ``goal_conditions_gained`` (-1 … 1) is what the episode changed. Of the conditions that were
    open at the start it is the share that hold at the end, less those lost; where more were lost
    than gained, it is the share lost of those that held, below 0. 0: nothing changed; 1: success.
    None where no condition was open at the start, so that there was nothing to gain, and from a
    service of protocol revision 3, which does not tell it (``Client.protocol_revision``).
    """

    success: bool
    goal_conditions_met: int
    goal_conditions_total: int
    failure: str = ""
    goal_conditions_gained: float | None = None


def read_result(
    answer: agent_pb2.StepResponse | agent_pb2.EndEpisodeResponse,
) -> PracticeResult | None:
    """The result in an answer; None where it tells none, as on every lease that is scored."""
    if not answer.HasField("practice_result"):
        return None
    result = answer.practice_result
    return PracticeResult(
        success=result.success,
        goal_conditions_met=result.goal_conditions_met,
        goal_conditions_total=result.goal_conditions_total,
        failure=result.failure,
        goal_conditions_gained=(
            result.goal_conditions_gained if result.HasField("goal_conditions_gained") else None
        ),
    )
