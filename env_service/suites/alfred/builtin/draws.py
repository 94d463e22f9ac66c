"""The generators that built-in tasks are drawn with."""

from __future__ import annotations

from env_service.suites.builtin_sets import Draws

draw_for = Draws("alfred")
"""A generator for a purpose: the same for the same words on every machine."""
