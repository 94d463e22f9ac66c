"""Every error that crosses the wire, in one table. docs/protocol.md is generated from it."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The gRPC statuses that we use, by their canonical codes (google.rpc.Code)."""

    INVALID_ARGUMENT = 3
    NOT_FOUND = 5
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class Reason(Enum):
    """Why a call failed, or a session was revoked.

    Each value is (status, meaning, what the caller can do). The name is what travels as
    ``google.rpc.ErrorInfo.reason`` and as ``houseguest-reason`` in the trailing metadata.
    """

    TOKEN_MISSING = (
        Status.UNAUTHENTICATED,
        "The call carries no `authorization: Bearer <token>` metadata.",
        "Send the lease token (agents) or the operator token (control).",
    )
    TOKEN_INVALID = (
        Status.UNAUTHENTICATED,
        "The token was not issued by this service for this listener, or was altered.",
        "Use the token that the service printed or issued; ask the operator for a new one.",
    )
    TOKEN_EXPIRED = (
        Status.UNAUTHENTICATED,
        "The lease token has expired.",
        "Ask the operator for a new lease (IssueLease).",
    )
    SESSION_FOREIGN = (
        Status.PERMISSION_DENIED,
        "The session does not exist, or belongs to another token.",
        "Use the session_id of the grant that this token received.",
    )
    SESSION_SUPERSEDED = (
        Status.ABORTED,
        "Another agent resumed the session, so this epoch has ended.",
        "Stop. The other agent plays the session.",
    )
    SESSION_ENDED = (
        Status.FAILED_PRECONDITION,
        "The session has ended: its grace period ran out, it was idle too long, or its run ended.",
        "Nothing; the operator can issue a new lease.",
    )
    SESSION_IDLE = (
        Status.FAILED_PRECONDITION,
        "The session was held without an open episode for longer than an agent may think.",
        "Call BeginEpisode soon after the grant and after each episode.",
    )
    SESSION_REPLACED = (
        Status.FAILED_PRECONDITION,
        "The operator issued a new lease for this session.",
        "Stop. The agent with the new lease plays the session.",
    )
    SESSION_WITHDRAWN = (
        Status.FAILED_PRECONDITION,
        "The session withdrew from the run; its place stays empty.",
        "Nothing; its remaining episodes are played when the operator resumes the run.",
    )
    SESSION_DISMISSED = (
        Status.FAILED_PRECONDITION,
        "Too many calls in a row broke the protocol, so the session was closed.",
        "Stop and correct the agent: the answer to each of these calls has its reason.",
    )
    LEASE_EXPIRED = (
        Status.ABORTED,
        "The lease has expired; the session is in its grace period.",
        "Attach with the newest resume_token.",
    )
    SEAT_TAKEN = (
        Status.FAILED_PRECONDITION,
        "A session already holds this lease token.",
        "Attach with the newest resume_token to take it over.",
    )
    RESUME_REFUSED = (
        Status.FAILED_PRECONDITION,
        "The resume token is unknown or was used before.",
        "Use the token of the newest grant; each token is valid once.",
    )
    FEATURE_NOT_OFFERED = (
        Status.FAILED_PRECONDITION,
        "A required feature is not offered in this run.",
        "Require only features that Hello lists.",
    )
    REVISION_NOT_SERVED = (
        Status.FAILED_PRECONDITION,
        "The agent was built against a protocol revision that is no longer served.",
        "Rebuild the agent with newer stubs.",
    )
    EPISODE_NOT_OPEN = (
        Status.FAILED_PRECONDITION,
        "The call names an episode that is not the session's open episode.",
        "Begin the next episode, or call GetEpisode for the current one.",
    )
    EPISODE_STILL_OPEN = (
        Status.FAILED_PRECONDITION,
        "The agent asked for the next episode while one is open.",
        "Finish it, or call EndEpisode.",
    )
    PRACTICE_ONLY = (
        Status.FAILED_PRECONDITION,
        "The lease is not a practice lease: its episodes are scored and cannot begin again.",
        "Omit BeginEpisodeRequest.practice; `houseguest practice` opens practice leases.",
    )
    TASK_NOT_BEGUN = (
        Status.INTERNAL,
        "The service failed at every attempt to begin the practice task.",
        "Repeat the call; report it to the operator, whose log has the cause.",
    )
    EPISODE_OUT_OF_ORDER = (
        Status.OUT_OF_RANGE,
        "The episode ordinal is neither the current nor the next one.",
        "Count ordinals from Granted.next_episode_ordinal.",
    )
    STEP_OUT_OF_ORDER = (
        Status.OUT_OF_RANGE,
        "The step index is neither the last nor the next one.",
        "Call GetEpisode for next_step_index.",
    )
    STEP_CONFLICT = (
        Status.ABORTED,
        "Another action was already received under this step index.",
        "Repeat the same action to get its answer, or continue with the next index.",
    )
    STEP_IN_FLIGHT = (
        Status.ABORTED,
        "The episode cannot be ended, nor the session withdrawn, while a step runs.",
        "Repeat the step to join it, then end the episode or withdraw.",
    )
    ACTION_KIND_NOT_ALLOWED = (
        Status.INVALID_ARGUMENT,
        "A plan was sent in an episode that is not played in MODE_PLAN, or a skill in MODE_ANSWER.",
        "Send the kind of action that Episode.mode names; text is always legal.",
    )
    PLAN_TOO_LONG = (
        Status.INVALID_ARGUMENT,
        "The plan has more steps than Limits.max_plan_steps.",
        "Send a shorter plan.",
    )
    OBSERVATION_NOT_OFFERED = (
        Status.INVALID_ARGUMENT,
        "The observation request asks for something that the run's condition does not offer.",
        "Ask for less; an empty request is always granted.",
    )
    MALFORMED_REQUEST = (
        Status.INVALID_ARGUMENT,
        "The request is not a message of the protocol, or lacks a field it needs.",
        "Check the stubs' revision and the field that the message names.",
    )
    BAD_RUN = (
        Status.INVALID_ARGUMENT,
        "The run asks for a suite, task set, world, task or setting that does not exist.",
        "Correct the name in the message.",
    )
    RUN_NOT_OPENED = (
        Status.FAILED_PRECONDITION,
        "The run's folder is in use or unreadable, or no worker starts.",
        "Correct what the message names, then create the run again.",
    )
    RUN_NOT_FOUND = (
        Status.NOT_FOUND,
        "No run of this service has that id.",
        "Call ListRuns for the ids of all runs.",
    )
    RATE_LIMITED = (
        Status.RESOURCE_EXHAUSTED,
        "More calls than Limits.max_calls_per_second, or too many streams at once.",
        "Wait for the google.rpc.RetryInfo delay, then repeat the call.",
    )
    DRAINING = (
        Status.UNAVAILABLE,
        "The service is closing and begins no new episode.",
        "Leave, or try again when the service is back.",
    )
    RUN_OVER = (
        Status.FAILED_PRECONDITION,
        "The run has ended.",
        "Nothing; every episode of the run is final.",
    )
    INTERNAL = (
        Status.INTERNAL,
        "The service failed unexpectedly. This never counts against the agent.",
        "Repeat the call; report it to the operator, whose log has the cause.",
    )

    @property
    def status(self) -> Status:
        """The gRPC status that carries this reason."""
        return self.value[0]

    @property
    def meaning(self) -> str:
        """What happened, in one sentence."""
        return self.value[1]

    @property
    def remedy(self) -> str:
        """What the caller can do about it."""
        return self.value[2]


_LONGEST = 1000
"""Characters of a message. A client's own words in it must not fill the trailing metadata."""
_LARGEST = 3000
"""Bytes of a message in the trailing metadata, of which a gRPC client accepts 8 KiB by default.
There, each byte beyond printable ASCII becomes three, and the status details repeat the message."""
_MOST_BYTES = 12
"""Of one character there: three for each of its four bytes in UTF-8."""


def _cut(message: str) -> str:
    """The message, or its beginning with a mark."""
    if len(message) <= _LARGEST // _MOST_BYTES:
        return message
    room = _LARGEST
    for place, character in enumerate(message):
        plain = " " <= character <= "~" and character != "%"
        room -= 1 if plain else 3 * len(character.encode(errors="replace"))
        if room < 0 or place == _LONGEST:
            return message[:place] + " …"
    return message


class ProtocolError(Exception):
    """A call that is answered with a status instead of a response.

    ``message`` says what was wrong in this call; it reaches the agent and never holds a
    stack trace or anything of the task. ``retry_after`` in seconds, for RATE_LIMITED.
    """

    def __init__(
        self, reason: Reason, message: str = "", *, retry_after: float | None = None
    ) -> None:
        self.reason = reason
        message = message or reason.meaning
        self.message = _cut(message)
        self.retry_after = retry_after
        super().__init__(f"{reason.name}: {self.message}")
