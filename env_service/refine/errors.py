"""What can go wrong while commands are refined. Every message is fit for a user."""

from __future__ import annotations


class RefineError(Exception):
    """Something keeps commands from being refined."""


class ReviewError(RefineError):
    """A review file cannot be read; the message names the line."""


class SourceError(RefineError):
    """The tasks to refine cannot be had."""
