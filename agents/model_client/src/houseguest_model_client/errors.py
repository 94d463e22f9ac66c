"""Why a model gives no reply. Every message is meant for users."""

from __future__ import annotations

from .completion import CallUsage


class ModelError(Exception):
    """A model gave no reply. The message says what was wrong, where, and how to fix it.

    Attributes:
        usage: The calls that were nevertheless paid for.
    """

    def __init__(self, message: str, usage: tuple[CallUsage, ...] = ()) -> None:
        super().__init__(message)
        self.usage = usage


class UnreachableError(ModelError):
    """The model did not answer for as long as the caller was willing to wait."""


class RefusedError(ModelError):
    """The model cannot answer such a request, now or later: a wrong key, an unknown model, or
    pictures for a text model."""


class ContextOverflowError(ModelError):
    """The request is longer than the model can read; a shorter one may succeed."""
