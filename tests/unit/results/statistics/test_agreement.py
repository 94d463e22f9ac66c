"""Agreement beyond constant and random answers."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.results.statistics import (
    Answers,
    ConfusionCounts,
    Drawing,
    kappa,
    matthews,
    matthews_interval,
)

tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k
    ).filter(lambda rows: sum(map(sum, rows)) > 0)
)
QUICK = Drawing(replicates=300)


def table(rows: list[list[int]]) -> ConfusionCounts:
    return ConfusionCounts(tuple(f"c{i}" for i in range(len(rows))), np.array(rows, dtype=np.int64))


def listed(rows: list[list[int]]) -> Answers:
    """One answer a cluster."""
    pairs = [
        (f"c{true}", f"c{answer}")
        for true, row in enumerate(rows)
        for answer, count in enumerate(row)
        for _ in range(count)
    ]
    truth, answers = zip(*pairs, strict=True)
    return Answers(truth, answers, range(len(pairs)), table(rows).labels)


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        # D. Chicco and G. Jurman, "The advantages of the Matthews correlation coefficient …",
        # BMC Genomics 21 (2020) 6, use case A1: 90 true positives, no true negative.
        ([[90, 1], [9, 0]], -0.03),
        ([[50, 0], [0, 50]], 1.0),
        ([[0, 50], [50, 0]], -1.0),
        ([[25, 25], [25, 25]], 0.0),
        ([[80, 0], [20, 0]], 0.0),
        ([[0, 0], [70, 30]], 0.0),
        ([[9, 0], [0, 0]], 0.0),
    ],
)
def test_matthews_where_it_is_known_or_defined(rows: list[list[int]], value: float) -> None:
    assert matthews(table(rows)) == pytest.approx(value, abs=0.005)


@given(tables)
def test_matthews_is_gorodkins_correlation_of_indicators(rows: list[list[int]]) -> None:
    """R_K by its definition: the covariance of the two indicator matrices over their norms."""
    given_ = listed(rows)
    names = np.array(given_.labels)
    x, y = (
        (np.array(column)[:, None] == names).astype(float)
        for column in (given_.truth, given_.answers)
    )
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    norms = np.sqrt((x * x).sum() * (y * y).sum())
    by_definition = (x * y).sum() / norms if norms > 1e-9 else 0.0

    assert matthews(table(rows)) == pytest.approx(by_definition, abs=1e-9)


@given(tables, st.randoms(use_true_random=False))
def test_matthews_and_kappa_are_bounded_and_symmetric(
    rows: list[list[int]], random: Random
) -> None:
    counts = np.array(rows)
    order = random.sample(range(len(rows)), len(rows))
    turned, renamed = counts.T.tolist(), counts[np.ix_(order, order)].tolist()

    for measure in (matthews, kappa):
        value = measure(table(rows))
        assert -1 <= value <= 1
        assert measure(table(turned)) == pytest.approx(value)
        assert measure(table(renamed)) == pytest.approx(value)


def test_a_worked_kappa() -> None:
    """Two readers of 50 proposals: 35 alike, half by chance."""
    assert kappa(table([[20, 5], [10, 15]])) == pytest.approx(0.4)
    assert kappa(table([[7, 0], [0, 0]])) == 0.0


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(1, 6))
def test_the_interval_encloses_it_and_has_a_width(rows: list[list[int]], clusters: int) -> None:
    flat = listed(rows)
    homes = [at % clusters for at in range(len(flat.truth))]
    given_ = Answers(flat.truth, flat.answers, homes, flat.labels)

    found = matthews_interval(given_, np.random.default_rng(0), QUICK)

    assert found.mcc == pytest.approx(matthews(table(rows)))
    assert -1 <= found.low <= found.mcc <= found.high <= 1
    assert found.low < found.high
    assert found.clusters == min(clusters, len(homes))


def test_the_interval_is_near_that_of_fishers_transformation() -> None:
    """For two normal-like margins: a correlation of 0.6 over 400 answers."""
    found = matthews_interval(listed([[160, 40], [40, 160]]), np.random.default_rng(1))

    assert (found.low, found.high) == pytest.approx((0.52, 0.68), abs=0.015)


def test_answers_that_share_clusters_widen_it() -> None:
    flat = listed([[160, 40], [40, 160]])
    shared = Answers(flat.truth, flat.answers, [at // 20 for at in range(400)], flat.labels)

    alone, together = (
        matthews_interval(each, np.random.default_rng(2), QUICK) for each in (flat, shared)
    )

    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_a_table_without_errors_is_not_certain() -> None:
    found = matthews_interval(listed([[20, 0], [0, 20]]), np.random.default_rng(3))

    assert (found.mcc, found.high) == (1, 1)
    assert 0.7 < found.low < 0.95


def test_order_and_seed_decide_it() -> None:
    flat = listed([[12, 5], [3, 14]])
    backwards = Answers(flat.truth[::-1], flat.answers[::-1], flat.clusters[::-1], flat.labels)

    first, again, turned = (
        matthews_interval(each, np.random.default_rng(4), QUICK) for each in (flat, flat, backwards)
    )

    assert first == again == turned


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (Answers([], [], [], ("a",)), "answers: empty"),
        (Answers(["a"], ["b"], [0], ("a",)), "answers: entry 0 is 'b'"),
        (Answers(["a"], ["a"], [0, 1], ("a",)), "clusters: 1 labels are needed"),
    ],
)
def test_what_cannot_be_is_named(given_: Answers, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        matthews_interval(given_, np.random.default_rng(0))
