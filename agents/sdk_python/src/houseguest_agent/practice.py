"""What a practice lease tells of an episode that has ended."""

from __future__ import annotations

from dataclasses import dataclass

from houseguest.agent.v1 import agent_pb2


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
    house of protocol revision 3, which does not tell it (``Client.protocol_revision``).
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
    told = answer.practice_result
    return PracticeResult(
        success=told.success,
        goal_conditions_met=told.goal_conditions_met,
        goal_conditions_total=told.goal_conditions_total,
        failure=told.failure,
        goal_conditions_gained=(
            told.goal_conditions_gained if told.HasField("goal_conditions_gained") else None
        ),
    )
