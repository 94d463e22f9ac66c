import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.babybench.answers.readings import MOST_SUBGOALS, AnswerProblem
from env_service.suites.babybench.grading import outcome_of
from tests.unit.suites.babybench.builders import grader

BLOCKED = "decompose:GoToRedBallGrey/290"
LOCKED = "decompose:BossLevel/2"
WALL_CORNER = "(GoNextToSubgoal, (0, 0))"


def block(*lines):
    return "\n".join(["<START>", *lines, "<END>"])


def test_a_state_is_compared_with_where_the_expert_ends():
    predict = grader("predict:GoTo/2")
    assert predict.grade(f"The agent's final state is: {predict.truth}").success
    assert not predict.grade("The agent's final state is: ((0, 0), 0)").success


def test_a_plan_that_cannot_go_on_fails_with_its_reason():
    score = grader(BLOCKED).grade(block(WALL_CORNER))
    assert not score.success
    assert score.labels == {"answer": "parsed", "stuck": "unreachable"}
    assert score.metrics["stuck"] == 1


def test_by_the_published_rules_it_has_no_result():
    score = grader(BLOCKED, "compat").grade(block(WALL_CORNER))
    assert not score.success
    assert score.labels["published_error"] == "AssertionError"
    missing = grader(BLOCKED, "compat").grade(block("(GoNextToSubgoal)"))
    assert missing.labels["published_error"] == "TypeError"
    unknown = grader(BLOCKED, "compat").grade(block("(FlySubgoal)"))
    assert (unknown.labels["answer"], unknown.labels["published_error"]) == (
        "unreadable",
        "ValueError",
    )


def test_a_forgotten_locked_door_costs_help_and_no_crash():
    plan = block("(GoNextToSubgoal, (2,11))", "(PickupSubgoal)", "(GoNextToSubgoal, (16,1))")
    assert grader(LOCKED, "compat").grade(plan).labels["stuck"] == "locked_door"
    fixed = grader(LOCKED).grade(plan)
    assert "stuck" not in fixed.labels
    assert fixed.metrics["help"] > 0


def test_putting_next_to_a_thing_can_be_said_by_naming_the_thing():
    put = grader("decompose:PutNextLocal/0")
    pickup = ("(GoNextToSubgoal, (3,5))", "(PickupSubgoal)")
    target = next(
        at
        for at, thing in put.solved.facts.objects
        if f"{thing.color} {thing.kind}" in put.solved.facts.mission.partition("next to")[2]
    )
    plan = block(*pickup, f"(GoNextToSubgoal, {target})", "(DropSubgoal)")
    fixed = put.grade(plan)
    assert (fixed.metrics["cr"], fixed.metrics["pr"], fixed.metrics["aci"]) == (1, 1, 1)
    assert grader("decompose:PutNextLocal/0", "compat").grade(plan).metrics["cr"] == 0


def test_plans_beyond_all_limits_are_not_carried_out():
    score = grader(BLOCKED).grade(block(*["(OpenSubgoal)"] * (MOST_SUBGOALS + 1)))
    assert score.labels["answer"] == AnswerProblem.TOO_LONG.value


def test_an_empty_published_plan_of_actions_is_scored_as_such():
    score = grader("plan:Small-4Dists/2", "compat").grade("left, forward")
    assert score.labels == {"answer": "no_answer", "published_error": "none"}
    assert score.metrics["actions"] == 0


@pytest.mark.parametrize("scoring", ["fixed", "compat"])
@pytest.mark.parametrize("name", ["predict:GoToObj/2", "plan:Small-4Dists/2", BLOCKED])
def test_what_was_not_understood_is_told_so(name, scoring):
    outcome = outcome_of(grader(name, scoring).grade("I do not know."))
    assert outcome.code is OutcomeCode.UNPARSABLE
    assert outcome.feedback


@pytest.mark.parametrize("scoring", ["fixed", "compat"])
def test_who_says_nothing_has_no_plan_that_could_be_measured(scoring):
    plan = grader("plan:Small-4Dists/2", scoring)
    score = plan.score_unanswered(AnswerProblem.NOT_WORDS)
    assert score.labels == {"answer": "not_words"}
    assert not {"actions", "ball_distance"} & set(score.metrics)
    assert plan.score_unanswered(None).labels == {}
