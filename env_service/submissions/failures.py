"""Why a submission did not come to a score: one class each."""

from __future__ import annotations

from enum import Enum


class SubmissionFailure(Enum):
    """The class of a failure. Those of guests have the values of ``GuestFailureClass``."""

    IMAGE_MISSING = "image_missing"
    MANIFEST_MISSING = "manifest_missing"
    MANIFEST_INVALID = "manifest_invalid"
    MANIFEST_MISMATCH = "manifest_mismatch"
    """The agent says of itself another thing than its manifest does."""
    START_FAILED = "start_failed"
    PROTOCOL_ERROR = "protocol_error"
    AGENT_CRASH = "agent_crash"
    AGENT_OOM = "agent_oom"
    AGENT_TIMEOUT = "agent_timeout"
    AGENT_LOST = "agent_lost"
    WITHDRAWN = "withdrawn"
    """The agent left the run by itself, before its end."""
    NOT_CONFORMING = "not_conforming"
    """It broke a rule of the protocol that it has to keep."""
    VERIFICATION_FAILED = "verification_failed"
    SERVICE_FAULT = "service_fault"
    """The house, its data or its simulator failed, or no sandbox can be had."""

    @property
    def of_the_house(self) -> bool:
        """Whether the submission is not to blame, so that the attempt costs its team nothing.

        A verification fails only where the house wrote what it cannot confirm.
        """
        return self in _NOT_THE_AGENTS


_NOT_THE_AGENTS = frozenset(
    {
        SubmissionFailure.IMAGE_MISSING,
        SubmissionFailure.VERIFICATION_FAILED,
        SubmissionFailure.SERVICE_FAULT,
    }
)
