"""What is wrong with a machine, not with an episode."""

from __future__ import annotations


class WorldUnavailableError(Exception):
    """A world cannot be opened on this machine. The message says why, and how to mend it."""
