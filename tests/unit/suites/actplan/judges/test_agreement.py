import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.results import statistics
from env_service.suites.actplan.judges.agreement import (
    Confusion,
    area_under_roc,
    count_verdicts,
    interval_by_cluster,
)


def test_verdicts_are_counted_against_labels() -> None:
    found = count_verdicts([True, True, False, False, False], [True, False, True, False, False])
    assert found == Confusion(1, 1, 1, 2)
    assert (found.count, found.correct, found.incorrect) == (5, 2, 3)


def test_verdicts_and_labels_of_different_number_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        count_verdicts([True, False], [True])


def test_agreement_by_hand() -> None:
    # (9·62 - 1·9) / sqrt(10·71·18·63), as a calculator has it.
    found = Confusion(true_positives=9, false_positives=1, false_negatives=9, true_negatives=62)
    assert found.mcc == pytest.approx(0.6118, abs=1e-4)
    assert found.accuracy == pytest.approx(71 / 81)
    assert found.baseline == pytest.approx(63 / 81)
    assert found.precision == pytest.approx(0.9)
    assert found.recall == pytest.approx(0.5)


@pytest.mark.parametrize("cells", [*np.random.default_rng(0).integers(0, 40, size=(20, 4))])
def test_agreement_is_that_of_reports(cells: NDArray[np.int64]) -> None:
    """Suites know no reports, and count by themselves: both have to say the same."""
    hits, false, missed, rejected = map(int, cells)
    found = Confusion(hits, false, missed, rejected)
    theirs = statistics.ConfusionCounts(
        ("yes", "no"), np.array([[hits, missed], [false, rejected]])
    )
    assert found.mcc == pytest.approx(statistics.matthews(theirs), abs=1e-12)
    assert found.accuracy == statistics.accuracy(theirs)
    assert found.baseline == statistics.majority_baseline(theirs).accuracy
    yes, _ = statistics.class_scores(theirs)
    assert (found.precision, found.recall) == (yes.precision, yes.recall)


@pytest.mark.parametrize(
    "confusion",
    [Confusion(0, 0, 2, 3), Confusion(2, 3, 0, 0), Confusion(5, 0, 0, 0), Confusion(0, 0, 0, 0)],
)
def test_a_constant_judge_or_constant_labels_have_no_correlation(confusion: Confusion) -> None:
    assert confusion.mcc == 0.0


def test_what_is_undefined_is_none() -> None:
    assert Confusion(0, 0, 2, 3).precision is None
    assert Confusion(0, 2, 0, 3).recall is None


def test_the_area_counts_pairs_and_halves_equal_scores() -> None:
    # Pairs of (correct, not): 3 > 1, 3 > 2, 2 > 1, 2 = 2.
    assert area_under_roc([True, True, False, False], [3, 2, 1, 2]) == pytest.approx(3.5 / 4)
    assert area_under_roc([True, True], [1, 2]) is None


def test_scores_that_cannot_be_ordered_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        area_under_roc([True, False], [float("nan"), 1])


def test_an_interval_draws_whole_activities() -> None:
    rows = [(True, True)] * 8 + [(False, True)] * 8
    apart = [str(place) for place in range(16)]
    together = ["one"] * 8 + ["other"] * 8
    found = [
        interval_by_cluster(rows, clusters, _accuracy, np.random.default_rng(1), 2000)
        for clusters in (apart, together)
    ]
    assert 0.1 < found[0].low < 0.5 < found[0].high < 0.9
    assert (found[1].low, found[1].high) == (0.0, 1.0)


def test_equal_generators_give_equal_intervals() -> None:
    rows = [(True, True), (True, False), (False, False), (False, True), (False, False)]
    found = {
        interval_by_cluster(rows, list("aabbc"), _accuracy, np.random.default_rng(7), 500)
        for _ in range(2)
    }
    assert len(found) == 1


def _accuracy(confusion: Confusion) -> float:
    return confusion.accuracy
