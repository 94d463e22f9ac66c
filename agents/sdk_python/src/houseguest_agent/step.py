"""The result of an action, and of an ended episode on a practice lease."""

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
    """How the environment reacted to one action. A refusal is an ordinary outcome.

    ``feedback`` is the suite's text for the agent; may be empty.
    """

    code: OutcomeCode
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """What remains: steps, and agent time in seconds. None if the suite does not disclose it."""

    steps: int | None = None
    agent_time: float | None = None


@dataclass(frozen=True, slots=True)
class PastStep:
    """One executed step of an episode's history."""

    action: Action
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one action.

    ``outcomes`` has one entry, or one for each executed step of a plan. It is empty if the
    service had closed the episode before; ``observation`` is then the previous one.
    """

    outcomes: tuple[Outcome, ...]
    observation: Observation
    status: EpisodeStatus
    remaining: Budget

    @property
    def outcome(self) -> Outcome | None:
        """The last outcome; None if nothing was executed."""
        return self.outcomes[-1] if self.outcomes else None


def read_outcomes(messages: Iterable[action_pb2.ActionOutcome]) -> tuple[Outcome, ...]:
    """Reads the outcomes of one step."""
    return tuple([Outcome(OutcomeCode(each.code), each.feedback) for each in messages])


def read_budget(response: agent_pb2.StepResponse) -> Budget:
    """Reads the budgets that the suite discloses."""
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


# --- The result of an ended episode on a practice lease


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """The result of an episode of a practice lease; it is not part of any score.

    Attributes:
        success: All goal conditions hold.
        goal_conditions_met: How many conditions hold at the end, including those that held from
            the start.
        goal_conditions_total: The number of conditions.
        failure: Why it did not succeed ("max_steps", …); empty for success.
        goal_conditions_gained: What the episode changed (-1 … 1). Of the conditions that were
            open at the start, the share that hold at the end, less those lost; if more were lost
            than gained, minus the share lost of those that held. 0: nothing changed; 1: success.
            None if no condition was open at the start, so that there was nothing to gain, and
            from a service of protocol revision 3, which does not report it
            (``Client.protocol_revision``).
    """

    success: bool
    goal_conditions_met: int
    goal_conditions_total: int
    failure: str = ""
    goal_conditions_gained: float | None = None


def read_result(
    answer: agent_pb2.StepResponse | agent_pb2.EndEpisodeResponse,
) -> PracticeResult | None:
    """The result in an answer; None if it has none, as on every lease that is scored."""
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
