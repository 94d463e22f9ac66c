"""What submissions raise for users to read."""

from __future__ import annotations


class SubmissionError(ValueError):
    """What was handed in, or asked for, cannot be used; the message says what to mend."""


class ManifestError(SubmissionError):
    """A submission's manifest is wrong; the message names the key, its value and the remedy."""


class ManifestMissingError(SubmissionError):
    """A submission has no manifest where it has to be."""


class NotStartedError(SubmissionError):
    """A submission's guests do not start, though their sandbox is there."""


class PhasesError(SubmissionError):
    """``phases.toml`` is wrong; the message names the phase, the key and the remedy."""


class QueueError(SubmissionError):
    """The queue cannot do what was asked."""


class LimitReachedError(QueueError):
    """A team has used up what a phase allows."""


class ScoreError(SubmissionError):
    """A score file cannot be read, or not be replaced; the message names it and what is wrong."""
