"""Classes of failures that keep a submission from a score, and errors for users."""

from __future__ import annotations

from enum import Enum

from env_service.domain.data_node import DataError


class SubmissionFailure(Enum):
    """The class of a failure. Failures of agents use the values of ``AgentLossClass``."""

    IMAGE_MISSING = "image_missing"
    MANIFEST_MISSING = "manifest_missing"
    MANIFEST_INVALID = "manifest_invalid"
    MANIFEST_MISMATCH = "manifest_mismatch"
    """The agent's Hello contradicts its manifest."""
    START_FAILED = "start_failed"
    PROTOCOL_ERROR = "protocol_error"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"
    WITHDRAWN = "withdrawn"
    """The agent left the run before its end."""
    NOT_CONFORMING = "not_conforming"
    """The agent broke a mandatory rule of the protocol."""
    VERIFICATION_FAILED = "verification_failed"
    SERVICE_FAULT = "service_fault"
    """The service, its data or its simulator failed, or no sandbox is available."""

    @property
    def of_the_service(self) -> bool:
        """Whether the service is at fault, so that the attempt does not count against the team.

        A failed verification counts as the service's fault: the service could not confirm its own
        records.
        """
        return self in _NOT_THE_AGENTS


_NOT_THE_AGENTS = frozenset(
    {
        SubmissionFailure.IMAGE_MISSING,
        SubmissionFailure.VERIFICATION_FAILED,
        SubmissionFailure.SERVICE_FAULT,
    }
)


# --- Errors for users to read


class SubmissionError(ValueError):
    """A submission or a request cannot be used; the message says what to correct."""


class ManifestError(SubmissionError, DataError):
    """A submission's manifest is wrong; the message names the key, its value and the remedy."""


class ManifestMissingError(SubmissionError):
    """A submission has no manifest at the expected path."""


class NotStartedError(SubmissionError):
    """A submission's agents do not start, although their sandbox works."""


class PhasesError(SubmissionError, DataError):
    """``phases.toml`` is wrong; the message names the phase, the key and the remedy."""


class QueueError(SubmissionError):
    """The queue cannot carry out the request."""


class LimitReachedError(QueueError):
    """A team has used all the submissions that a phase allows."""


class ScoreError(SubmissionError):
    """A score file cannot be read or replaced; the message names the file and the problem."""
