"""What the sandbox raises for users to read."""

from __future__ import annotations


class AgentSpecError(ValueError):
    """An agent cannot be started as it is described; the message says what to mend."""


class GuestStartError(RuntimeError):
    """A guest cannot be started; the message says why, and what to mend."""


class ImageMissingError(GuestStartError):
    """The engine has no image of that name."""
