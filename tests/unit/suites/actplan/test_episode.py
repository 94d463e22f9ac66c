"""One attempt at one activity, whole or step by step."""

from __future__ import annotations

import math

import pytest

from env_service.domain.action import Plan, SkillCall, Text
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.failure import FailureClass
from env_service.domain.outcome import OutcomeCode
from env_service.suites.actplan.episode import MOST_TURNS, ActPlanEpisode, plan_of
from env_service.suites.base import ConditionError
from tests.support.small_actplan import STEPS, order, played

INTERACTIVE = {"play": "steps", "feedback": "detailed"}


def test_a_right_plan_is_correct() -> None:
    result = played("\n".join(STEPS))
    assert result.success
    assert result.failure is None
    assert result.metrics["goal_strict"] == 1.0
    assert result.metrics["commonsense"] == 1.0
    assert result.labels["errors"] == ""


def test_a_plan_that_leaves_something_undone_says_what() -> None:
    result = played("\n".join(STEPS[:4]))
    assert not result.success
    assert result.failure is FailureClass.GOAL_NOT_REACHED
    assert "missing actions" in result.labels["errors"]
    assert "candle" in result.labels["explanation"]
    assert 0.0 <= result.metrics["goal_share_relaxed"] < 1.0


def test_doing_nothing_meets_no_condition_that_does_not_hold_at_the_beginning() -> None:
    nothing = played("wait()")
    assert nothing.goal_conditions
    assert not any(each.met for each in nothing.goal_conditions)


def test_a_demand_on_every_plan_counts_where_it_is_broken() -> None:
    right = played("\n".join(STEPS)).goal_conditions
    broken = played("\n".join(["Surely:", *STEPS])).goal_conditions
    assert [each.met for each in broken] == [*(each.met for each in right), False]
    assert broken[-1].name == "the plan is made of steps alone"


def test_each_step_of_a_plan_has_an_outcome() -> None:
    episode = ActPlanEpisode(order())
    first = episode.start()
    assert first.mode is Mode.PLAN
    assert first.max_steps == 1
    report = episode.act(Text("walk_to(table)\nfrobnicate(candle_1)\ngrab(elephant)\nopen(table)"))
    assert [each.code for each in report.outcomes] == [
        OutcomeCode.SUCCEEDED,
        OutcomeCode.UNKNOWN_SKILL,
        OutcomeCode.UNKNOWN_OBJECT,
        OutcomeCode.PRECONDITION_FAILED,
    ]
    assert report.status is EpisodeStatus.TERMINATED
    assert report.steps_left == 0


def test_a_plan_of_skill_calls_is_the_same_plan() -> None:
    calls = (
        SkillCall("walk_to", (("object", "table"),)),
        SkillCall("grab", (("object", "candle_1"),)),
        SkillCall("place_inside", (("target", "basket"), ("item", "candle_1"))),
    )
    told = ActPlanEpisode(order())
    told.start()
    told.act(Plan(calls))
    words = played("walk_to(table)\ngrab(candle_1)\nplace_inside(basket, candle_1)")
    assert dict(told.finish(FinishReason.OVER).metrics) == dict(words.metrics)


@pytest.mark.parametrize("said", ["", "I would rather not.", "\n\n", "12345", "grab(" * 3000])
def test_what_is_no_plan_scores_and_has_a_reason(said: str) -> None:
    result = played(said)
    assert not result.success
    assert result.labels["explanation"]
    assert result.labels["ending"] in ("unreadable", "plan_over")


def test_five_thousand_steps_are_an_ordinary_failure() -> None:
    result = played("\n".join(["walk_to(table)"] * 5000))
    assert not result.success
    assert all(map(math.isfinite, result.metrics.values()))


def test_a_definition_that_cannot_be_read_is_never_correct_and_says_why() -> None:
    result = played("\n".join(STEPS), problem="(define (problem broken) (:goal")
    assert not result.success
    assert result.labels["defects"]


def test_score_unanswered_is_a_failure_of_the_agent() -> None:
    episode = ActPlanEpisode(order())
    episode.start()
    result = episode.finish(FinishReason.AGENT_TIMEOUT)
    assert not result.success
    assert result.failure is FailureClass.AGENT_TIMEOUT
    assert result.steps == 0


def test_step_by_step_what_cannot_be_done_changes_nothing() -> None:
    episode = ActPlanEpisode(order(INTERACTIVE))
    assert episode.start().mode is Mode.STEPWISE
    refused = episode.act(Text("grab(candle_2)"))
    assert refused.outcomes[0].code is OutcomeCode.PRECONDITION_FAILED
    assert "failed" in refused.observation.text
    for step in STEPS:
        assert episode.act(Text(step)).outcomes[0].code is OutcomeCode.SUCCEEDED, step
    over = episode.act(SkillCall("done"))
    assert over.status is EpisodeStatus.TERMINATED
    result = episode.finish(FinishReason.OVER)
    assert result.success
    assert result.metrics["refused_steps"] == 1.0
    assert result.metrics["plan_steps"] == len(STEPS)


def test_a_turn_is_one_step() -> None:
    episode = ActPlanEpisode(order(INTERACTIVE))
    episode.start()
    several = episode.act(Text("\n".join(STEPS)))
    assert several.outcomes[0].code is OutcomeCode.UNPARSABLE
    assert several.outcomes[0].feedback.startswith(f"{len(STEPS)} steps were found: a turn is one")
    prose = episode.act(Text("Let me look around."))
    assert prose.outcomes[0].feedback.startswith("no step was found: a turn is one step")
    assert episode.finish(FinishReason.AGENT_GAVE_UP).metrics["plan_steps"] == 0.0


def test_what_is_told_of_a_step_follows_the_feedback() -> None:
    told = {}
    for feedback in ("none", "simple", "detailed"):
        episode = ActPlanEpisode(order({"play": "steps", "feedback": feedback}))
        episode.start()
        told[feedback] = episode.act(Text("grab(candle_2)")).observation.text
    assert told["none"] == "Step 1 has been tried."
    assert told["simple"] == "Step 1 failed."
    assert told["detailed"].startswith("Step 1 failed: ")
    assert len(told["detailed"]) > len(told["simple"])


@pytest.mark.parametrize("feedback", ["none", "simple", "detailed"])
def test_the_house_is_told_of_before_the_first_step_as_after_it(feedback: str) -> None:
    episode = ActPlanEpisode(order({"play": "steps", "feedback": feedback}))
    first = episode.start().observation.text
    refused = episode.act(Text("grab(candle_2)")).observation.text
    assert first.split("\n")[0] == "Nothing has been done yet."
    assert first.split("\n")[1:] == refused.split("\n")[1:]
    assert ("table_1" in first) == (feedback == "detailed")


def test_what_reading_put_right_is_told_at_its_step() -> None:
    episode = ActPlanEpisode(order(INTERACTIVE))
    episode.start()
    for step in ("walk_to(table)", "frobnicate(table)", "pick_up(candle_1)"):
        episode.act(Text(step))
    assert [(each.step, each.text) for each in episode.plan.repairs] == [(2, "pick_up as grab")]


def test_turns_are_limited() -> None:
    episode = ActPlanEpisode(order({"play": "steps"}))
    left = episode.start().max_steps
    while left:
        report = episode.act(Text("wait()"))
        assert report.steps_left == left - 1
        left = report.steps_left
    assert report.status is EpisodeStatus.TRUNCATED
    result = episode.finish(FinishReason.OVER)
    assert result.steps == MOST_TURNS
    assert result.failure is FailureClass.MAX_STEPS


def test_feedback_needs_steps() -> None:
    with pytest.raises(ConditionError, match="play=steps"):
        ActPlanEpisode(order({"feedback": "simple"}))


def test_what_was_judged_can_be_made_again_from_the_actions() -> None:
    actions = [Text("grab(candle_2)"), Text(STEPS[0]), Text(STEPS[1])]
    steps = plan_of(order(INTERACTIVE), actions).steps
    assert [each.spelling for each in steps] == list(STEPS[:2])
    assert [each.number for each in steps] == [1, 2]
