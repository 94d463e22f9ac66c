"""Actions on objects, each once from where the object can be reached."""

from __future__ import annotations

from env_service.testing.thor_controller.objects import ObjectTests


class TestObjects(ObjectTests):
    """On every world."""
