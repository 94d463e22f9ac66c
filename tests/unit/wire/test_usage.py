"""What agents say that their models used, as it is summed."""

from __future__ import annotations

import math

import pytest
from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import agent_pb2

from env_service.domain.usage import Usage
from env_service.wire.actions import MAX_CALLS, MAX_TOKENS, usage_from_wire


def summed(*calls: agent_pb2.ModelUsage) -> Usage:
    return usage_from_wire(agent_pb2.Trace(usage=calls))


def test_calls_are_summed() -> None:
    call = agent_pb2.ModelUsage(
        model="m",
        input_tokens=100,
        output_tokens=20,
        cached_input_tokens=80,
        reasoning_tokens=5,
        images=2,
        latency=Duration(seconds=1, nanos=500_000_000),
        cost_usd=0.125,
    )
    assert summed(call, call) == Usage(
        calls=2,
        input_tokens=200,
        output_tokens=40,
        cached_input_tokens=160,
        reasoning_tokens=10,
        images=4,
        seconds=3.0,
        cost_usd=0.25,
    )


def test_no_call_is_no_usage() -> None:
    assert not summed()


@pytest.mark.parametrize("cost", [-1.0, math.nan, -math.inf])
def test_a_cost_that_cannot_be_is_none(cost: float) -> None:
    assert summed(agent_pb2.ModelUsage(cost_usd=cost)) == Usage(calls=1)


def test_parts_are_no_larger_than_the_whole() -> None:
    usage = summed(agent_pb2.ModelUsage(output_tokens=3, reasoning_tokens=9, cached_input_tokens=9))
    assert (usage.reasoning_tokens, usage.cached_input_tokens) == (3, 0)


def test_absurd_numbers_are_cut() -> None:
    calls = [agent_pb2.ModelUsage(input_tokens=2**64 - 1)] * (MAX_CALLS + 7)
    usage = summed(*calls)
    assert (usage.calls, usage.input_tokens) == (MAX_CALLS, MAX_CALLS * MAX_TOKENS)
