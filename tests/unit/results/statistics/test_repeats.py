"""The same tasks played several times."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.results.statistics import (
    EpisodeIndex,
    cluster_rate,
    intraclass_correlation,
    pass_all_k,
    pass_at_k,
    summarize_repeats,
)


def played(results: dict[str, list[float]]) -> EpisodeIndex:
    rows = [(task, repeat, s) for task, all_ in results.items() for repeat, s in enumerate(all_)]
    tasks, repeats, scores = zip(*rows, strict=True)
    return EpisodeIndex(tasks, repeats, scores, tasks)


def test_the_median_is_over_repeats_and_the_interval_over_tasks() -> None:
    episodes = played({"a": [1, 1, 1], "b": [0, 1, 0], "c": [0, 0, 0], "d": [1, 1, 0]})

    found = summarize_repeats(episodes)

    assert found.repeats == (0, 1, 2)
    assert found.rates == (0.5, 0.75, 0.25)
    assert (found.median, found.lowest, found.highest) == (0.5, 0.25, 0.75)
    assert found.overall == cluster_rate(episodes.scores, episodes.tasks)
    assert found.overall.clusters == 4
    # Equal pairs: 3 of 3, 1 of 3, 3 of 3, 1 of 3.
    assert found.agreement == pytest.approx((1 + 1 / 3 + 1 + 1 / 3) / 4)
    assert found.task_share is not None
    assert 0 < found.task_share < 1


def test_repeats_that_always_end_alike_count_each_task_once() -> None:
    ends = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1] * 4

    once = summarize_repeats(played({f"t{i:02}": [end] for i, end in enumerate(ends)}))
    thrice = summarize_repeats(played({f"t{i:02}": [end] * 3 for i, end in enumerate(ends)}))

    assert thrice.agreement == 1
    assert thrice.task_share == pytest.approx(1)
    assert thrice.overall.low == pytest.approx(once.overall.low, abs=0.01)
    assert (once.agreement, once.task_share) == (None, None)


def test_where_all_end_alike_no_share_is_defined() -> None:
    found = summarize_repeats(played({"a": [1, 1], "b": [1, 1]}))

    assert found.agreement == 1
    assert found.task_share is None


def test_a_published_intraclass_correlation() -> None:
    """P. E. Shrout and J. L. Fleiss (1979), table 2: ICC(1,1) of six targets is .17."""
    ratings = ([9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7])

    share = intraclass_correlation([np.array(row, dtype=float) for row in ratings])

    assert share == pytest.approx(0.17, abs=0.005)


results = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from([0.0, 1.0]), min_size=4, max_size=6)
).filter(bool)


@given(results, st.integers(1, 4))
def test_pass_at_k_is_the_share_of_draws(tasks: dict[str, list[float]], k: int) -> None:
    """Over all ways to take k of a task's attempts."""
    some, every = [], []
    for attempts in tasks.values():
        draws = list(combinations(attempts, k))
        some.append(np.mean([any(draw) for draw in draws]))
        every.append(np.mean([all(draw) for draw in draws]))

    assert pass_at_k(played(tasks), k).rate == pytest.approx(np.mean(some))
    assert pass_all_k(played(tasks), k).rate == pytest.approx(np.mean(every))


@given(results)
def test_one_attempt_is_the_rate_of_tasks_and_more_spread_the_two(
    tasks: dict[str, list[float]],
) -> None:
    episodes = played(tasks)
    mean = np.mean([np.mean(attempts) for attempts in tasks.values()])

    assert pass_at_k(episodes, 1).rate == pytest.approx(mean)
    assert pass_all_k(episodes, 1).rate == pytest.approx(mean)
    assert pass_all_k(episodes, 3).rate <= mean + 1e-9
    assert pass_at_k(episodes, 3).rate >= mean - 1e-9


@pytest.mark.parametrize(
    ("tasks", "k", "message"),
    [
        ({"a": [1, 0, 1], "b": [1, 0]}, 3, "task 'b' has 2 scored repeats, k is 3"),
        ({"a": [1.0]}, 0, "k is 0"),
        ({"a": [0.5, 1.0]}, 1, "task 'a' has scores that are neither 0 nor 1"),
    ],
)
def test_what_cannot_be_is_named(tasks: dict[str, list[float]], k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pass_at_k(played(tasks), k)
