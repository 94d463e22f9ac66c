"""The random generators of built-in tasks."""

from __future__ import annotations

from env_service.suites.builtin_sets import Draws

draw_for = Draws("actplan")
"""Makes generators; the number of the set's seed has to be among the words."""
