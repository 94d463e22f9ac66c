"""What an agent says that its model used, from the wire: summed, and made harmless.

Nothing in it is trusted: numbers that nobody can mean are cut, so that no claim breaks a
file, a sum or a step. agent.proto tells agents the same bounds.
"""

from __future__ import annotations

import math

from houseguest.agent.v1 import agent_pb2

from env_service.results.usage import Usage

MAX_CALLS = 256
"""Entries of a trace that are summed; the others are left out."""
MAX_TOKENS = 10**9
"""Of one call: a thousand times what models take in."""
MAX_IMAGES = 10**6
MAX_SECONDS = 30 * 24 * 3600.0
"""Of one call: as much as an agent may think."""
MAX_COST_USD = 1e6
"""Of one call."""


def usage_from_wire(trace: agent_pb2.Trace) -> Usage:
    """The sum of a trace's model calls; empty where it names none.

    A cost that is no number or below 0, and a latency below 0, count as 0; larger numbers
    than the bounds above as these. Of the tokens sent, no more are cached than were sent; of
    those received, no more are reasoning than were received.
    """
    return Usage.total(map(_call, trace.usage[:MAX_CALLS]))


def _call(call: agent_pb2.ModelUsage) -> Usage:
    sent = min(call.input_tokens, MAX_TOKENS)
    received = min(call.output_tokens, MAX_TOKENS)
    return Usage(
        calls=1,
        input_tokens=sent,
        output_tokens=received,
        cached_input_tokens=min(call.cached_input_tokens, sent),
        reasoning_tokens=min(call.reasoning_tokens, received),
        images=min(call.images, MAX_IMAGES),
        seconds=_bounded(call.latency.seconds + call.latency.nanos / 1e9, MAX_SECONDS),
        cost_usd=_bounded(call.cost_usd, MAX_COST_USD),
    )


def _bounded(value: float, most: float) -> float:
    """``value`` between 0 and ``most``, to the ninth decimal, as files hold it."""
    if math.isnan(value) or value <= 0:
        return 0.0
    return round(min(value, most), 9)
