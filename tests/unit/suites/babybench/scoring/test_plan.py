import pytest

from env_service.suites.babybench.answers.readings import ActionList
from env_service.suites.babybench.scoring import execute, score_plan
from tests.unit.suites.babybench.builders import known

ROOM = "Small-4Dists/2"
DETOUR = "Large-60Dists/22"


def score(actions, name=ROOM):
    return score_plan(ActionList(tuple(actions)), known(name))


def test_the_expert_reaches_the_ball():
    expert = known(ROOM).expert.actions
    won = score(expert)
    assert won.success
    assert won.metrics["efficiency"] == won.metrics["efficiency_or_zero"] == 1
    assert won.metrics["ball_distance"] == 0
    assert won.metrics["reward"] == pytest.approx(1 - 0.9 * len(expert) / 64)


def test_what_comes_after_the_ball_counts_in_the_length_but_not_in_the_reward():
    expert = known(ROOM).expert.actions
    longer = score((*expert, "forward", "done"))
    assert longer.success
    assert longer.metrics["efficiency"] == len(expert) / (len(expert) + 2)
    assert longer.metrics["reward"] == score(expert).metrics["reward"]
    assert longer.metrics["actions_to_ball"] == len(expert)


def test_a_plan_may_be_shorter_than_the_experts():
    outdone = known(DETOUR)
    assert (len(outdone.expert.actions), outdone.optimum) == (35, 31)
    assert score(outdone.expert.actions, DETOUR).metrics["efficiency_optimal"] == 31 / 35


def test_a_failure_has_no_efficiency_but_in_the_published_mean():
    lost = score(known(ROOM).expert.actions[:-1])
    assert not lost.success
    assert lost.metrics["efficiency_or_zero"] == lost.metrics["reward"] == 0
    assert not {"efficiency", "efficiency_optimal", "actions_to_ball"} & set(lost.metrics)
    assert lost.metrics["ball_distance"] == 1


def test_an_empty_plan_stays_where_it_is():
    start = known(ROOM).facts
    assert execute(start, ()).taken == 0
    assert score(()).metrics["ball_distance"] == 4


def test_the_step_limit_ends_a_plan():
    expert = known(ROOM).expert.actions
    assert not score(("done",) * 64 + expert).success
    assert execute(known(ROOM).facts, ("left",) * 100).taken == 64


def test_what_was_not_read_fails():
    unread = score_plan(None, known(ROOM))
    assert not unread.success
    assert "actions" not in unread.metrics
