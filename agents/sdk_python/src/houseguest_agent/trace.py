"""An agent's record of a decision. Stored as a claim, never used in scoring."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import agent_pb2


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """One call of a model. Counts include cached input and reasoning output tokens.

    ``latency`` is in seconds, from the request to the full reply; ``cost_usd`` is in US dollars.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    images: int = 0
    latency: float = 0.0
    cost_usd: float = 0.0

    def to_proto(self) -> agent_pb2.ModelUsage:
        """The usage as a protobuf message."""
        latency = Duration()
        latency.FromNanoseconds(round(self.latency * 1e9))
        return agent_pb2.ModelUsage(
            model=self.model,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_input_tokens=self.cached_input_tokens,
            reasoning_tokens=self.reasoning_tokens,
            images=self.images,
            latency=latency,
            cost_usd=self.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """Why an agent acts as it does.

    ``raw_model_output`` is the model's reply before an action was parsed from it; ``plan_length``
    is how many actions are planned ahead, or 0.
    """

    thought: str = ""
    raw_model_output: str = ""
    plan_length: int = 0
    usage: tuple[ModelUsage, ...] = ()

    def to_proto(self) -> agent_pb2.Trace:
        """The trace as a protobuf message."""
        return agent_pb2.Trace(
            thought=self.thought,
            raw_model_output=self.raw_model_output,
            plan_length=self.plan_length,
            usage=[usage.to_proto() for usage in self.usage],
        )


def encode_trace(trace: Trace | str | None) -> agent_pb2.Trace | None:
    """The trace as a protobuf message; a string is a thought."""
    if trace is None:
        return None
    return (Trace(trace) if isinstance(trace, str) else trace).to_proto()
