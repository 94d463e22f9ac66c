"""Why a submission did not come to a score, one class each, and the errors that users read."""

from __future__ import annotations

from enum import Enum

from env_service.domain.data_node import DataError


class SubmissionFailure(Enum):
    """The class of a failure. Those of agents have the values of ``AgentLossClass``."""

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
    """The agent left the run by itself, before its end."""
    NOT_CONFORMING = "not_conforming"
    """It broke a mandatory rule of the protocol."""
    VERIFICATION_FAILED = "verification_failed"
    SERVICE_FAULT = "service_fault"
    """The service, its data or its simulator failed, or there is no sandbox."""

    @property
    def of_the_service(self) -> bool:
        """Whether the fault is the service's, so that the attempt does not count against the team.

        A failed verification is one: the service could not confirm what it wrote itself.
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
    """A submission or a request cannot be used; the message says what to mend."""


class ManifestError(SubmissionError, DataError):
    """A submission's manifest is wrong; the message names the key, its value and the remedy."""


class ManifestMissingError(SubmissionError):
    """A submission has no manifest where it has to be."""


class NotStartedError(SubmissionError):
    """A submission's agents do not start, though their sandbox is there."""


class PhasesError(SubmissionError, DataError):
    """``phases.toml`` is wrong; the message names the phase, the key and the remedy."""


class QueueError(SubmissionError):
    """The queue cannot do what was asked."""


class LimitReachedError(QueueError):
    """A team has used up what a phase allows."""


class ScoreError(SubmissionError):
    """A score file cannot be read or replaced; the message names it and what is wrong."""
