"""What a reset gives, and what every event's metadata hold."""

from __future__ import annotations

from env_service.testing.thor_controller.reset import ResetTests


class TestReset(ResetTests):
    """On every world."""
