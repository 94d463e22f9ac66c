"""What can go wrong while activities are made. Every message is fit for a user."""

from __future__ import annotations


class MakingError(Exception):
    """Something keeps activities from being made."""


class SourceError(MakingError):
    """The activities to start from cannot be had; the message says where they were looked for."""


class CircumstanceError(MakingError):
    """A file of circumstances cannot be read; the message names the line."""
