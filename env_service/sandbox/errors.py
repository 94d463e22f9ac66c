"""What the sandbox raises for users to read."""

from __future__ import annotations


class AgentSpecError(ValueError):
    """An agent cannot be started as it is described; the message says what to mend."""
