"""How an agent ends an episode, or leaves the run, to and from the wire."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeStatus, FinishReason
from env_service.domain.failure import Withdrawal, WithdrawReason
from env_service.domain.printable import safe

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


def ended(
    status: EpisodeStatus, told: agent_pb2.PracticeResult | None = None
) -> agent_pb2.EndEpisodeResponse:
    """The answer to EndEpisode, with what is told of the result, if anything."""
    return agent_pb2.EndEpisodeResponse(
        status=status.value,  # type: ignore[arg-type]
        practice_result=told,
    )


def withdrawal_from_wire(request: agent_pb2.WithdrawRequest) -> Withdrawal:
    """Why a guest leaves. Its words become one line without control characters, and are cut."""
    reason = _WITHDRAW_REASONS.get(request.reason, WithdrawReason.OTHER)
    words = " ".join(request.message[: 2 * MAX_MESSAGE].split())
    line = safe(words)
    return Withdrawal(reason, line if len(line) <= MAX_MESSAGE else line[:MAX_MESSAGE] + " …")
