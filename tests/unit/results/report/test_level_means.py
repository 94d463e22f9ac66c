"""Means of means: as papers average over levels, however many episodes each has."""

from __future__ import annotations

import pytest

from env_service.results.report.content import EMPTY
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.measures import evaluate
from env_service.results.report.runs import make_family
from env_service.suites.reporting import (
    SUCCEEDED,
    SUCCESS_FLAG,
    Field,
    Measure,
    Only,
    Statistic,
    macro,
    metric,
    rate,
)
from tests.support.made_run import made_text


def episodes(tasks: int) -> EpisodeColumns:
    """Groups 0 … 4 in turn; group 0 alone wins."""
    return EpisodeColumns(make_family([made_text(tasks=tasks, wins=lambda task, _: task % 5 == 0)]))


def test_each_value_has_the_same_weight() -> None:
    # Of six episodes, two are of group 0.
    found = episodes(6)
    assert evaluate(rate(SUCCESS_FLAG), found, found.all).value == pytest.approx(2 / 6)
    cell = evaluate(macro(SUCCESS_FLAG, Field.GROUP), found, found.all)
    assert cell.value == pytest.approx(1 / 5)
    assert (cell.interval, cell.n) == (None, 6)


def test_values_without_an_episode_that_counts_have_none() -> None:
    found = episodes(6)
    won = macro(SUCCESS_FLAG, Field.GROUP, only=Only(Field.RESULT, (SUCCEEDED,)))
    assert evaluate(won, found, found.all).value == 1
    assert evaluate(macro(metric("absent"), Field.GROUP), found, found.all) == EMPTY


def test_what_means_are_taken_over_belongs_to_them_alone() -> None:
    with pytest.raises(ValueError, match="needs over"):
        Measure(Statistic.MACRO, "m", SUCCESS_FLAG)
    with pytest.raises(ValueError, match="needs over"):
        Measure(Statistic.MEAN, "m", SUCCESS_FLAG, over=Field.GROUP)
