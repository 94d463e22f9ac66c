"""What a practice lease says more than any other, to the wire."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeResult, share_gained


def result_to_wire(result: EpisodeResult) -> agent_pb2.PracticeResult:
    """How an episode went."""
    return agent_pb2.PracticeResult(
        success=result.success,
        goal_conditions_met=sum(condition.met for condition in result.goal_conditions),
        goal_conditions_total=len(result.goal_conditions),
        failure="" if result.failure is None else result.failure.value,
        goal_conditions_gained=share_gained(result.goal_conditions),
    )
