"""How an episode ends, what of it is disclosed, and seconds, to and from the wire."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason, share_gained
from env_service.domain.failure import Withdrawal, WithdrawReason
from env_service.domain.text import safe

MAX_MESSAGE = 1000
"""Characters of a message for the operator; the rest is cut."""

_END_REASONS: dict[int, FinishReason] = {
    agent_pb2.END_REASON_AGENT_DONE: FinishReason.AGENT_DONE,
    agent_pb2.END_REASON_AGENT_GAVE_UP: FinishReason.AGENT_GAVE_UP,
    agent_pb2.END_REASON_AGENT_ERROR: FinishReason.AGENT_ERROR,
}
_WITHDRAW_REASONS: dict[int, WithdrawReason] = {
    agent_pb2.WITHDRAW_REASON_MODEL_UNREACHABLE: WithdrawReason.MODEL_UNREACHABLE,
    agent_pb2.WITHDRAW_REASON_MODEL_REFUSED: WithdrawReason.MODEL_REFUSED,
    agent_pb2.WITHDRAW_REASON_BUDGET_SPENT: WithdrawReason.BUDGET_SPENT,
}


def finish_reason(reason: int) -> FinishReason:
    """Why the agent ends its episode; a reason that is not known here is that it gave up."""
    return _END_REASONS.get(reason, FinishReason.AGENT_GAVE_UP)


def end_response(
    status: EpisodeStatus, disclosed: agent_pb2.PracticeResult | None = None
) -> agent_pb2.EndEpisodeResponse:
    """The answer to EndEpisode, with what is disclosed of the result, if anything."""
    return agent_pb2.EndEpisodeResponse(
        status=status.value,  # type: ignore[arg-type]
        practice_result=disclosed,
    )


def withdrawal_from_wire(request: agent_pb2.WithdrawRequest) -> Withdrawal:
    """Why an agent leaves. Its words become one line without control characters, and are cut."""
    reason = _WITHDRAW_REASONS.get(request.reason, WithdrawReason.OTHER)
    words = " ".join(request.message[: 2 * MAX_MESSAGE].split())
    line = safe(words)
    return Withdrawal(reason, line if len(line) <= MAX_MESSAGE else line[:MAX_MESSAGE] + " …")


# --- Keeps what is disclosed of an episode's past within a message


def shorten_history(response: agent_pb2.GetEpisodeResponse, most: int) -> None:
    """Leaves out actions, the oldest first, until the response has at most ``most`` bytes or no
    action is left."""
    excess = response.ByteSize() - most
    for step in response.history:
        if excess <= 0:
            return
        excess -= step.action.ByteSize()
        step.ClearField("action")


# --- What a practice lease says more than any other, to the wire


def practice_result_to_wire(result: EpisodeResult) -> agent_pb2.PracticeResult:
    """How an episode went."""
    return agent_pb2.PracticeResult(
        success=result.success,
        goal_conditions_met=sum(condition.met for condition in result.goal_conditions),
        goal_conditions_total=len(result.goal_conditions),
        failure="" if result.failure is None else result.failure.value,
        goal_conditions_gained=share_gained(result.goal_conditions),
    )


# --- Seconds, to and from the wire


def duration(seconds: float | None) -> Duration | None:
    """Writes seconds; None stays None, which leaves the field absent."""
    if seconds is None:
        return None
    whole = int(seconds)
    return Duration(seconds=whole, nanos=int((seconds - whole) * 1e9))


def seconds(message: Duration) -> float:
    """Reads seconds."""
    return message.seconds + message.nanos / 1e9
