"""What all questions to an index share: its transaction, pages of rows, counts of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select, and_, func, or_, select
from sqlalchemy.sql import ColumnElement, FromClause

from env_service.index.schema import EPISODE_LABELS, EPISODE_TIMES, EPISODES, RUNS
from env_service.results.statistics import rate_interval
from env_service.storage.canonical_json import MOST_WHOLE

T = TypeVar("T")
MOST_LISTED = 200
"""Values of a facet that are listed."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows of a list: ``limit`` of them after the first ``offset``."""

    offset: int = 0
    limit: int = 50


FIRST_PAGE = Page()


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """The rows of a page, and how many there are on all pages."""

    total: int
    rows: tuple[T, ...]


OF_RUNS = EPISODES.join(RUNS, RUNS.c.id == EPISODES.c.run)
"""Episodes, each with its run."""
TIMED = OF_RUNS.join(
    EPISODE_TIMES,
    and_(
        EPISODE_TIMES.c.run == EPISODES.c.run, EPISODE_TIMES.c.episode_id == EPISODES.c.episode_id
    ),
    isouter=True,
)
"""The same with the times of the log of events, if it has them."""
LABELLED = and_(EPISODE_LABELS.c.run == EPISODES.c.run, EPISODE_LABELS.c.episode == EPISODES.c.seq)
"""Joins episodes with their labels."""


class Reading:
    """One folder's index, in one transaction."""

    def __init__(self, connection: Connection, root: str) -> None:
        self._connection, self._root = connection, root

    def here(self) -> ColumnElement[bool]:
        """The runs of this folder, as a part of a query."""
        return RUNS.c.root == self._root

    def key_of(self, path: str) -> Any:
        """The run's number, as a part of a query."""
        return select(RUNS.c.id).where(self.here(), RUNS.c.path == path).scalar_subquery()

    def mappings(self, query: Select[Any]) -> Sequence[Mapping[str, Any]]:
        """The rows by column."""
        return [dict(row) for row in self._connection.execute(query).mappings()]

    def rows_of(
        self,
        page: Page,
        query: Select[Any],
        order: tuple[ColumnElement[Any], ...],
        *,
        descending: bool,
    ) -> Sequence[Mapping[str, Any]]:
        """A page's rows by the first of ``order``; the others decide between equal ones."""
        first, *ties = order
        # What has no value comes last either way.
        by = (first.desc() if descending else first.asc()).nulls_last()
        return self.mappings(query.order_by(by, *ties).offset(page.offset).limit(page.limit))

    def count(self, where: ColumnElement[bool], source: FromClause = RUNS) -> int:
        """How many rows fulfil the condition."""
        return self._connection.execute(
            select(func.count()).select_from(source).where(where)
        ).scalar_one()

    def values(
        self, column: ColumnElement[Any], where: ColumnElement[bool], source: FromClause = RUNS
    ) -> dict[str, int]:
        """How often each value occurs, the most frequent first; at most MOST_LISTED of them."""
        count = func.count()
        wanted = select(column, count).select_from(source).where(where).group_by(column)
        rows = self._connection.execute(wanted.order_by(count.desc(), column).limit(MOST_LISTED))
        return {row[0]: row[1] for row in rows}


def contains(columns: Sequence[ColumnElement[str]], searched: str) -> ColumnElement[bool]:
    """Whether one of the columns has the text, in any case of letters."""
    return or_(*(column.icontains(searched, autoescape=True) for column in columns))


def exact(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row's values as JavaScript can hold them: seeds as texts, and counts, which agents may
    claim, of at most MOST_WHOLE."""
    counts = {
        name: max(-MOST_WHOLE, min(value, MOST_WHOLE))
        for name, value in row.items()
        if type(value) is int
    }
    seeds = {"seed": str(row["seed"])} if "seed" in row else {}
    return {**row, **counts, **seeds}


def moment(ns: int) -> str:
    """A time in ns since 1970 as ISO 8601, UTC, to the millisecond; empty for 0."""
    if ns <= 0:
        return ""
    return datetime.fromtimestamp(ns // 10**6 / 1000, UTC).isoformat(timespec="milliseconds")


def mean_of(total: float, count: int) -> float | None:
    """The mean; None of nothing."""
    return total / count if count else None


def interval_of(scores: Sequence[tuple[bool, str, str]]) -> tuple[float, float]:
    """The 95 % interval of a success rate, from (success, cluster, task id) of each episode."""
    successes, clusters, tasks = zip(*scores, strict=True)
    low, high = rate_interval([float(each) for each in successes], clusters, tasks)
    return float(low), float(high)
