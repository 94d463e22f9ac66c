"""Why a model gives no reply. Every message is fit for a user."""

from __future__ import annotations

from .completion import CallUsage


class ModelError(Exception):
    """A model gave no reply. The message says what was wrong, where, and how to mend it.

    Attributes:
        usage: the calls that were paid for all the same.
    """

    def __init__(self, message: str, usage: tuple[CallUsage, ...] = ()) -> None:
        super().__init__(message)
        self.usage = usage


class UnreachableError(ModelError):
    """The model did not answer for as long as the caller was willing to wait."""


class RefusedError(ModelError):
    """The model cannot be asked like this, now or later: a wrong key, an unknown model, no
    eyes for pictures."""


class ContextOverflowError(ModelError):
    """The request is longer than the model can read: a shorter one may do."""
