"""The columns that comparisons and repeats are computed from."""

from __future__ import annotations

import pytest

from env_service.results.statistics import EpisodeIndex


def test_scores_are_found_by_task_in_order_of_repeats() -> None:
    episodes = EpisodeIndex(["b", "a", "a"], [0, 1, 0], [0.5, 1, 0], ["s", "s", "s"])

    assert {task: scores.tolist() for task, scores in episodes.by_task().items()} == {
        "a": [0, 1],
        "b": [0.5],
    }
    assert episodes.by_episode() == {("b", 0): 0.5, ("a", 1): 1, ("a", 0): 0}
    assert episodes.cluster_of() == {"a": "s", "b": "s"}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["a"], [0, 1], [1], ["s"]), r"differ in length: \[1, 2, 1, 1\]"),
        (([], [], [], []), "scores: empty"),
        ((["a"], [0], [7], ["s"]), "entry 0 is 7.0"),
        ((["a", "a"], [2, 2], [1, 0], ["s", "s"]), "repeat 2 of task 'a' comes twice"),
        ((["a", "a"], [0, 1], [1, 0], ["s", "t"]), "task 'a' is in two clusters, 's' and 't'"),
    ],
)
def test_what_makes_no_sense_is_named(
    columns: tuple[list[str], list[int], list[float], list[str]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        EpisodeIndex(*columns)
