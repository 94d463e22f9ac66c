"""How an episode ends, its past, and seconds, to and from the wire."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import action_pb2, agent_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason, GoalCondition
from env_service.domain.failure import FailureClass, WithdrawReason
from env_service.wire.episodes import (
    MAX_MESSAGE,
    duration,
    end_response,
    finish_reason,
    practice_result_to_wire,
    seconds,
    shorten_history,
    withdrawal_from_wire,
)
from env_service.wire.zero_copy import StepAnswer


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


# --- What a practice lease says more than any other

RESULT = EpisodeResult(
    success=False,
    goal_conditions=(GoalCondition("a", True), GoalCondition("b", False)),
    failure=FailureClass.MAX_STEPS,
    steps=3,
    metrics={"secret": 1.0},
    labels={"kind": "secret"},
)


def test_a_result_tells_success_the_goal_conditions_and_why_not() -> None:
    assert practice_result_to_wire(RESULT) == agent_pb2.PracticeResult(
        success=False, goal_conditions_met=1, goal_conditions_total=2, failure="max_steps"
    )


def gained(*conditions: tuple[bool | None, bool]) -> agent_pb2.PracticeResult:
    """What is told of conditions that held at the start, and hold at the end, so."""
    goal = tuple(
        GoalCondition(str(number), met, held_at_start=held)
        for number, (held, met) in enumerate(conditions)
    )
    return practice_result_to_wire(replace(RESULT, goal_conditions=goal))


@pytest.mark.parametrize(
    ("conditions", "share"),
    [
        # Nothing was done: five of six held all along.
        ([(True, True)] * 5 + [(False, False)], 0.0),
        ([(True, True)] * 5 + [(False, True)], 1.0),
        ([(True, True), (False, True), (False, False)], 0.5),
        ([(True, False), (False, True)], 0.0),
        ([(True, False), (True, True), (False, False)], -0.5),
    ],
)
def test_a_result_tells_goal_conditions_gained(
    conditions: list[tuple[bool | None, bool]], share: float
) -> None:
    told = gained(*conditions)
    assert told.HasField("goal_conditions_gained")
    assert told.goal_conditions_gained == share


@pytest.mark.parametrize("conditions", [[], [(True, True)], [(True, False)], [(None, True)]])
def test_where_nothing_could_be_gained_it_tells_none(
    conditions: list[tuple[bool | None, bool]],
) -> None:
    assert not gained(*conditions).HasField("goal_conditions_gained")


def test_a_result_tells_no_names_of_goal_conditions_and_no_metrics() -> None:
    assert b"secret" not in practice_result_to_wire(RESULT).SerializeToString()


def test_an_answer_with_a_result_is_the_answer_and_the_result() -> None:
    response = agent_pb2.StepResponse(
        episode_id="ep", status=agent_pb2.EPISODE_STATUS_TERMINATED, practice_result=None
    )
    told = practice_result_to_wire(RESULT)
    whole = agent_pb2.StepResponse(practice_result=told)
    whole.MergeFrom(response)
    answer = StepAnswer.of(response).with_result(told)
    assert answer.to_message() == whole
    assert agent_pb2.PlayResponse.FromString(answer.to_play_bytes(3)).step == whole


def test_an_answer_without_one_is_byte_for_byte_what_it_was() -> None:
    answer = StepAnswer.of(agent_pb2.StepResponse(episode_id="ep"))
    assert answer.with_result(None) is answer
    plain = agent_pb2.EndEpisodeResponse(status=agent_pb2.EPISODE_STATUS_TERMINATED)
    assert end_response(EpisodeStatus.TERMINATED) == plain


def test_a_history_that_is_too_long_loses_its_oldest_actions_first() -> None:
    past = [
        agent_pb2.PastStep(
            action=action_pb2.Action(text="x" * 100), outcomes=[action_pb2.ActionOutcome(code=1)]
        )
        for _ in range(10)
    ]
    response = agent_pb2.GetEpisodeResponse(history=past)
    shorten_history(response, 600)
    kept = [step.HasField("action") for step in response.history]
    assert kept == sorted(kept)
    assert any(kept) and not all(kept)
    assert response.ByteSize() <= 600
    assert all(step.outcomes for step in response.history)


# --- Seconds survive the wire to a nanosecond, and no limit stays no limit

LONGEST = 315_576_000_000.0
"""Seconds: what google.protobuf.Duration promises to hold, about 10,000 years."""


@settings(deadline=None)
@given(st.floats(-LONGEST, LONGEST))
def test_seconds_survive(value: float) -> None:
    message = duration(value)
    assert message is not None
    assert seconds(message) == pytest.approx(value, rel=1e-12, abs=2e-9)
    message.ToJsonString()  # raises for a message that is no legal duration


@pytest.mark.parametrize(
    ("value", "whole", "nanos"),
    [
        (0, 0, 0),
        (60.0, 60, 0),
        (0.25, 0, 250_000_000),
        (1.5, 1, 500_000_000),
        (-1.5, -1, -500_000_000),
        (1e-9, 0, 1),
    ],
)
def test_seconds_are_split(value: float, whole: int, nanos: int) -> None:
    assert duration(value) == Duration(seconds=whole, nanos=nanos)


@settings(deadline=None)
@given(st.integers(0, 10**9 - 1))
def test_a_duration_is_read_to_the_nanosecond(nanos: int) -> None:
    assert round(seconds(Duration(seconds=7, nanos=nanos)) * 1e9) == 7 * 10**9 + nanos


def test_no_limit_stays_absent() -> None:
    assert duration(None) is None
