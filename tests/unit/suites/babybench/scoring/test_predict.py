from env_service.suites.babybench.answers.readings import State
from env_service.suites.babybench.scoring import score_state

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
