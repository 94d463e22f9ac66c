"""What a practice lease says more than any other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.domain.episode import EpisodeResult, EpisodeStatus, GoalCondition
from env_service.domain.failure import FailureClass
from env_service.wire.endings import ended
from env_service.wire.history import shorten_history
from env_service.wire.practice import result_to_wire
from env_service.wire.splice import StepAnswer

RESULT = EpisodeResult(
    success=False,
    goal_conditions=(GoalCondition("a", True), GoalCondition("b", False)),
    failure=FailureClass.MAX_STEPS,
    steps=3,
    metrics={"secret": 1.0},
    labels={"kind": "secret"},
)


def test_a_result_tells_success_the_goal_conditions_and_why_not() -> None:
    assert result_to_wire(RESULT) == agent_pb2.PracticeResult(
        success=False, goal_conditions_met=1, goal_conditions_total=2, failure="max_steps"
    )


def gained(*conditions: tuple[bool | None, bool]) -> agent_pb2.PracticeResult:
    """What is told of conditions that held at the start, and hold at the end, so."""
    goal = tuple(
        GoalCondition(str(number), met, held_at_start=held)
        for number, (held, met) in enumerate(conditions)
    )
    return result_to_wire(replace(RESULT, goal_conditions=goal))


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
    assert b"secret" not in result_to_wire(RESULT).SerializeToString()


def test_an_answer_with_a_result_is_the_answer_and_the_result() -> None:
    response = agent_pb2.StepResponse(
        episode_id="ep", status=agent_pb2.EPISODE_STATUS_TERMINATED, practice_result=None
    )
    told = result_to_wire(RESULT)
    whole = agent_pb2.StepResponse(practice_result=told)
    whole.MergeFrom(response)
    answer = StepAnswer.of(response).with_result(told)
    assert answer.to_message() == whole
    assert agent_pb2.PlayResponse.FromString(answer.to_play_bytes(3)).step == whole


def test_an_answer_without_one_is_byte_for_byte_what_it_was() -> None:
    answer = StepAnswer.of(agent_pb2.StepResponse(episode_id="ep"))
    assert answer.with_result(None) is answer
    plain = agent_pb2.EndEpisodeResponse(status=agent_pb2.EPISODE_STATUS_TERMINATED)
    assert ended(EpisodeStatus.TERMINATED) == plain


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
