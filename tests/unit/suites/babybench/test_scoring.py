import pytest

from env_service.suites.babybench.answers.readings import ActionList, State
from env_service.suites.babybench.scoring import (
    assistance_curve,
    curve_area,
    execute,
    help_class,
    level_labels,
    level_metrics,
    score_plan,
    score_state,
    subject_labels,
)
from tests.unit.suites.babybench.builders import known, subject

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


TRUTH = State((5, 6), 2)


def test_the_exact_state_succeeds():
    score = score_state(State((5, 6), 2), TRUTH)
    assert score.success
    assert score.metrics == {"position_correct": 1, "heading_correct": 1, "distance": 0}


def test_a_wrong_heading_fails_at_no_distance():
    score = score_state(State((5, 6), 3), TRUTH)
    assert not score.success
    assert score.metrics["position_correct"] == 1
    assert score.metrics["distance"] == score.metrics["distance_when_wrong"] == 0


def test_a_wrong_place_is_measured_in_cells_without_diagonals():
    score = score_state(State((7, 5), 2), TRUTH)
    assert [condition.met for condition in score.conditions] == [False, True]
    assert score.metrics["distance"] == score.metrics["distance_when_wrong"] == 3


def test_what_was_not_read_has_no_distance():
    score = score_state(None, TRUTH)
    assert not score.success
    assert "distance" not in score.metrics


def test_the_curve_rises_where_the_help_is_enough():
    assert assistance_curve(2, 4, success=True) == (False, False, True, True, True)
    assert assistance_curve(0, 1, success=False) == (False, False)


@pytest.mark.parametrize("used", range(8))
@pytest.mark.parametrize("limit", range(1, 6))
def test_the_area_is_the_published_index(used, limit):
    assert curve_area(used, limit, success=True) == max(0, (limit - used) / limit)
    assert curve_area(used, limit, success=False) == 0


@pytest.mark.parametrize(("used", "area"), [(0, 1), (1, 0)])
def test_without_a_limit_only_success_without_help_counts(used, area):
    assert curve_area(used, 0, success=True) == area


@pytest.mark.parametrize(
    ("count", "name"),
    [
        (0, "0-2"),
        (2, "0-2"),
        (3, "3-4"),
        (5, "5-6"),
        (7, "7-9"),
        (9, "7-9"),
        (10, "10+"),
        (37, "10+"),
    ],
)
def test_help_falls_into_classes(count, name):
    assert help_class(count) == name


def test_help_is_counted_with_the_translation_and_without():
    level = known("PutNextLocal/2")
    assert level_labels(level) == {"help_class": "3-4", "help_added_class": "0-2"}
    metrics = level_metrics(level)
    assert (metrics["help_count"], metrics["help_initial"], metrics["help_added"]) == (4, 4, 0)
    assert metrics["objects"] == 8


def test_levels_and_rooms_have_labels_of_their_own():
    assert subject_labels(subject("predict:BossLevel/2")) == {
        "question": "predict",
        "grid": "22x22",
        "difficulty": "Very Hard",
    }
    assert subject_labels(subject("plan:Medium-60Dists/2")) == {
        "question": "plan",
        "grid": "16x16",
        "size": "Medium",
        "obstacles": "60",
    }
