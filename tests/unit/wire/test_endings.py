"""How agents end episodes and leave runs, as the house reads it."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import FinishReason
from env_service.domain.failure import WithdrawReason
from env_service.wire.endings import MAX_MESSAGE, finish_reason, withdrawal_from_wire


def said(message: str, reason: int = 0) -> tuple[WithdrawReason, str]:
    request = agent_pb2.WithdrawRequest(reason=reason, message=message)  # type: ignore[arg-type]
    withdrawal = withdrawal_from_wire(request)
    return withdrawal.reason, withdrawal.message


def test_every_reason_of_the_protocol_is_read() -> None:
    for name, number in agent_pb2.WithdrawReason.items():
        wanted = name.removeprefix("WITHDRAW_REASON_").replace("UNSPECIFIED", "OTHER")
        assert said("", number)[0] is WithdrawReason[wanted]


def test_a_reason_that_a_newer_agent_knows_is_another_one() -> None:
    assert said("", 99)[0] is WithdrawReason.OTHER


def test_words_become_one_line_that_a_terminal_can_show() -> None:
    assert said(" no\nanswer \x1b[31m from\t it ")[1] == "no answer \ufffd[31m from it"


def test_a_long_story_is_cut() -> None:
    assert said("x" * 10 * MAX_MESSAGE)[1] == "x" * MAX_MESSAGE + " …"


def test_an_unknown_reason_to_end_is_giving_up() -> None:
    assert finish_reason(agent_pb2.END_REASON_AGENT_ERROR) is FinishReason.AGENT_ERROR
    assert finish_reason(99) is FinishReason.AGENT_GAVE_UP
