"""The agent's own actions."""

from __future__ import annotations

from env_service.testing.thor_controller.motion import MotionTests


class TestMotion(MotionTests):
    """On every world."""
