"""The limits that a service enforces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from houseguest.agent.v1 import agent_pb2

from .step import seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """The service's limits. Times are in seconds, None if unlimited; counts are 0 if not given.

    Attributes:
        environment_step_deadline: How long the environment may take for one step.
        agent_step_budget: The agent's own time for one step.
        agent_episode_budget: The agent's own time, summed over an episode.
        max_action_bytes: UTF-8 bytes of one text or skill call.
    """

    environment_step_deadline: float | None = None
    agent_step_budget: float | None = None
    agent_episode_budget: float | None = None
    max_plan_steps: int = 0
    max_trace_bytes_per_step: int = 0
    max_action_bytes: int = 0
    max_calls_per_second: int = 0

    @classmethod
    def from_proto(cls, message: agent_pb2.Limits) -> Limits:
        """Reads the limits of a HelloResponse."""
        return cls(
            _optional(message, "environment_step_deadline"),
            _optional(message, "agent_step_budget"),
            _optional(message, "agent_episode_budget"),
            max_plan_steps=message.max_plan_steps,
            max_trace_bytes_per_step=message.max_trace_bytes_per_step,
            max_action_bytes=message.max_action_bytes,
            max_calls_per_second=message.max_calls_per_second,
        )


def _optional(
    message: agent_pb2.Limits,
    name: Literal["environment_step_deadline", "agent_step_budget", "agent_episode_budget"],
) -> float | None:
    return seconds(getattr(message, name)) if message.HasField(name) else None
