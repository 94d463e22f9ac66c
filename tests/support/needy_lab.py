"""A laboratory that reads a data pack."""

from __future__ import annotations

from collections.abc import Mapping

from tests.support.lab import LabSuite

NEEDED = "refined_valid_seen_commands.json"


class NeedyLabSuite(LabSuite):
    """Cannot be played without NEEDED of the pack ``alfred-refined``."""

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """One file, whatever is played."""
        return {"alfred-refined": (NEEDED,)}
