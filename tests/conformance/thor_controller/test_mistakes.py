"""What a caller is told who asks wrongly, and that nothing else happens."""

from __future__ import annotations

from env_service.testing.thor_controller.mistakes import MistakeTests


class TestMistakes(MistakeTests):
    """On every world."""
