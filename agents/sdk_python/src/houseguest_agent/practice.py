"""What a practice lease tells of an episode that has ended."""

from __future__ import annotations

from dataclasses import dataclass

from houseguest.agent.v1 import agent_pb2


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """How an episode of a practice lease went; it counts nowhere.

    ``goal_conditions_met`` of ``goal_conditions_total`` hold at the end; ``success`` when all
    do. ``failure`` says why it did not succeed ("max_steps", …), and is empty where it did.
    """

    success: bool
    goal_conditions_met: int
    goal_conditions_total: int
    failure: str = ""


def read_result(
    answer: agent_pb2.StepResponse | agent_pb2.EndEpisodeResponse,
) -> PracticeResult | None:
    """The result in an answer; None where it tells none, as on every lease that is scored."""
    if not answer.HasField("practice_result"):
        return None
    told = answer.practice_result
    return PracticeResult(
        told.success, told.goal_conditions_met, told.goal_conditions_total, told.failure
    )
