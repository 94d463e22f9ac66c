"""Answers counted against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.results.statistics import (
    ConfusionCounts,
    accuracy,
    class_scores,
    count_answers,
    majority_baseline,
)

TRUTH = ["yes"] * 5 + ["no"] * 3 + ["unsure"] * 2
ANSWERS = ["yes", "yes", "yes", "no", "no", "no", "no", "yes", "no", "yes"]
LABELS = ("yes", "no", "unsure")


def test_rows_are_truths_and_columns_answers_in_the_labels_order() -> None:
    counted = count_answers(TRUTH, ANSWERS, LABELS)

    assert counted.labels == LABELS
    assert counted.counts.tolist() == [[3, 2, 0], [1, 2, 0], [1, 1, 0]]
    assert counted.n == 10


def test_accuracy_stands_beside_the_constant_answers() -> None:
    counted = count_answers(TRUTH, ANSWERS, LABELS)

    assert accuracy(counted) == 0.5
    baseline = majority_baseline(counted)
    assert (baseline.label, baseline.accuracy) == ("yes", 0.5)


def test_each_class_has_its_scores_or_none_where_they_are_undefined() -> None:
    yes, no, unsure = class_scores(count_answers(TRUTH, ANSWERS, LABELS))

    assert (yes.truths, yes.answers, yes.precision, yes.recall) == (5, 5, 0.6, 0.6)
    assert no.precision == 0.4
    assert no.recall == pytest.approx(2 / 3)
    assert no.f1 == pytest.approx(2 * 0.4 * (2 / 3) / (0.4 + 2 / 3))
    assert (unsure.precision, unsure.recall, unsure.f1) == (None, 0, 0)


def test_a_class_that_nobody_saw_has_no_scores() -> None:
    unseen = class_scores(count_answers(["a"], ["a"], ["a", "b"]))[1]

    assert (unseen.precision, unseen.recall, unseen.f1) == (None, None, None)


@pytest.mark.parametrize(
    ("truth", "answers", "labels", "message"),
    [
        (["a"], ["a", "b"], ["a", "b"], "1 truths, but 2 answers"),
        (["a"], ["c"], ["a", "b"], r"answers: entry 0 is 'c', not one of \['a', 'b'\]"),
        (["c"], ["a"], ["a", "b"], "truth: entry 0 is 'c'"),
        ([], [], ["a", "b"], "at least one answer"),
        (["a"], ["a"], ["a", "a"], "one of them comes twice"),
    ],
)
def test_what_cannot_be_counted_is_named(
    truth: list[str], answers: list[str], labels: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        count_answers(truth, answers, labels)


def test_counts_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="2 labels, but counts of shape"):
        ConfusionCounts(("a", "b"), np.ones((3, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="none may be negative"):
        ConfusionCounts(("a",), np.array([[-1]]))
