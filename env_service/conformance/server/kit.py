"""All rules of the server kit, in the order in which they are checked."""

from __future__ import annotations

from env_service.conformance.server.rule import ServerRule
from env_service.conformance.server.rules import (
    all_along,
    ending,
    episodes,
    listener,
    opening,
    resuming,
    steps,
    stream,
)

SERVER_RULES: tuple[ServerRule, ...] = (
    *listener.RULES,
    *opening.RULES,
    *episodes.RULES,
    *steps.RULES,
    *stream.RULES,
    *resuming.RULES,
    *ending.RULES,
    *all_along.RULES,
)
