"""What a service allows and enforces."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.domain.session import SessionLimits


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits of one service, in seconds and bytes. Agents get them as the protocol's ``Limits``."""

    session: SessionLimits = field(default_factory=SessionLimits)
    max_message_bytes: int = 16 * 1024 * 1024
    """gRPC refuses larger messages on either side."""
    max_action_bytes: int = 64 * 1024
    """A longer text is an unparsable turn."""
    max_plan_steps: int = 512
    max_trace_bytes: int = 256 * 1024
    """A longer trace is stored cut."""
    max_prompt_bytes: int = 2 * 1024 * 1024
    """A longer prompt is stored cut. Of one line of a transcript readers accept 16 MiB, and a byte
    of a text may take six there."""
    calls_per_second: int = 10_000
    """Averaged over ``burst_seconds``."""
    burst_seconds: float = 2.0
    max_sessions: int = 64
    """Sessions of all runs together; more wait in Attach."""
    workers: int = 0
    """Worker processes of each run that asks for no number; 0: as many as give every session that
    may play a place, and one a session up to the number of cores."""
    environment_step_deadline: float = 60.0
    """How long a world may take over one step before the episode is voided."""
    environment_begin_deadline: float = 300.0
    world_memory_bytes: int | None = None
    """What a worker and its simulator may hold before they are replaced after the episode; with
    twice as much they are killed, and the episode is voided. None: a share of the machine's."""
    token_seconds: float = 7 * 24 * 3600.0
    """How long a lease token is good, for every call."""


PROTOCOL_REVISION = 5
"""The additive minor revision of houseguest.agent.v1 that this service speaks."""

MIN_PROTOCOL_REVISION = 1
"""The oldest revision that it still serves."""
