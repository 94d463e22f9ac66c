"""Why a model gives no reply. Every message is fit for a user."""

from __future__ import annotations


class ModelError(Exception):
    """The model gives no reply."""


class UnreachableError(ModelError):
    """Its server does not answer, or only with failures that pass; asking later may help."""


class RefusedError(ModelError):
    """Its server refuses the request; asking again would not help."""
