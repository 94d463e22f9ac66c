"""The same scene and actions give the same events."""

from __future__ import annotations

from env_service.testing.thor_controller.determinism import DeterminismTests


class TestDeterminism(DeterminismTests):
    """On every world."""
