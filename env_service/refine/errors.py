"""What can go wrong while commands are refined. Every message is fit for a user."""

from __future__ import annotations


class RefineError(Exception):
    """Something keeps commands from being refined."""


class StateError(RefineError):
    """A state file cannot be gone on with: it is of another run, or is none."""


class ReviewError(RefineError):
    """A review file cannot be read; the message names the line."""


class PromptError(RefineError):
    """A folder of prompts lacks one, or one cannot be filled in."""


class SourceError(RefineError):
    """The tasks to refine cannot be had."""
