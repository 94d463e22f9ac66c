"""What the index answers about episodes: lists by filter, and one with its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import and_, exists, func, or_, select
from sqlalchemy.sql import ColumnElement

from env_service.index.reading import (
    FIRST_PAGE,
    LABELLED,
    MOST_LISTED,
    OF_RUNS,
    TIMED,
    Listed,
    Page,
    contains,
    exact,
    moment,
)
from env_service.index.run_queries import ALL_RUNS, RunFilter, RunQueries
from env_service.index.schema import (
    ADDED_METRICS,
    EPISODE_LABELS,
    EPISODE_METRICS,
    EPISODE_TIMES,
    EPISODES,
    GOAL_CONDITIONS,
    RUNS,
    STEPS,
)


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """A final episode. ``run`` is its run's path; the rest is as in the table. ``seed`` is a text,
    because JavaScript rounds large numbers. ``began`` and ``ended`` are ISO 8601, UTC, by the log
    of events or else by the transcript's file; empty if they are not known."""

    run: str
    seq: int
    episode_id: str
    task_id: str
    group: str
    cluster: str
    repeat: int
    seed: str
    success: bool
    failure: str | None
    fault: str | None
    goals_met: float
    goals_gained: float | None
    steps: int
    agent_seconds: float
    environment_seconds: float
    session: str
    agent: str
    transcript_head: str
    exchanges: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    instruction: str
    first_frame: str
    last_frame: str
    frame_encoding: str
    steps_problem: str
    began: str
    ended: str


class Outcome(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNSCORED = "unscored"
    """The service gave it up; it counts in no rate."""


class EpisodeSort(StrEnum):
    """What a list of episodes is sorted by."""

    RUN = "run"
    """By run, and there in the order of their ends."""
    TASK = "task"
    STEPS = "steps"
    GOALS_GAINED = "goals_gained"
    SECONDS = "seconds"
    COST = "cost"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes: those that fulfil every part; an empty part is fulfilled by all.

    ``runs`` are paths, ``labels`` pairs of a name and a value: for each name in it, the episode has
    to have one of the values. ``steps_from`` and ``steps_to`` bounds that belong to the range.
    ``search`` is a text in the task's id, the episode's id or the instruction. ``of_runs`` says of
    which runs.
    """

    runs: Sequence[str] = ()
    outcomes: Sequence[Outcome] = ()
    failures: Sequence[str] = ()
    groups: Sequence[str] = ()
    tasks: Sequence[str] = ()
    labels: Sequence[tuple[str, str]] = ()
    steps_from: int | None = None
    steps_to: int | None = None
    search: str = ""
    of_runs: RunFilter = ALL_RUNS


ALL_EPISODES = EpisodeFilter()


@dataclass(frozen=True, slots=True)
class EpisodeFacets:
    """The values that episodes have, each with the number of episodes, the most frequent first.
    ``labels`` has them by label."""

    failures: Mapping[str, int]
    groups: Mapping[str, int]
    labels: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class GoalRow:
    """A goal condition of an episode; ``held_at_start`` is None if that was not recorded."""

    name: str
    met: bool
    held_at_start: bool | None


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step in short. ``place`` counts from 0; the frames are those shown before and after it, as
    SHA-256 in hex, empty without a picture."""

    place: int
    kind: str
    action: str
    outcome: str
    feedback: str
    frame_before: str
    frame_after: str
    agent_seconds: float
    environment_seconds: float
    tokens: int


@dataclass(frozen=True, slots=True)
class EpisodeDetail:
    """An episode with all that the index has of it. The rest is in its transcript.

    ``added_metrics`` are the numbers that commands added after the run, by the scores' name."""

    episode: EpisodeRow
    labels: Mapping[str, str]
    metrics: Mapping[str, float]
    added_metrics: Mapping[str, Mapping[str, float]]
    goal_conditions: tuple[GoalRow, ...]
    steps: tuple[StepRow, ...]


class EpisodeQueries(RunQueries):
    """Questions about episodes."""

    def episodes(
        self,
        chosen: EpisodeFilter = ALL_EPISODES,
        *,
        sort: EpisodeSort = EpisodeSort.RUN,
        descending: bool = False,
        page: Page = FIRST_PAGE,
    ) -> Listed[EpisodeRow]:
        """The final episodes that the filter chooses."""
        where = self._chosen_episodes(chosen)
        joined = select(RUNS.c.path, EPISODES, *_TIMES).select_from(TIMED).where(where)
        order = (_EPISODE_SORTS[sort], RUNS.c.path, EPISODES.c.seq)
        rows = self.rows_of(page, joined, order, descending=descending)
        return Listed(self.count(where, OF_RUNS), tuple(map(_episode_row, rows)))

    def episode_facets(self, chosen: EpisodeFilter = ALL_EPISODES) -> EpisodeFacets:
        """The values of the episodes that the filter chooses. For each kind of value, the filter's
        own part for it does not count, so that the other values remain to be chosen."""
        labels = self._label_values(chosen, EPISODE_LABELS.c.name.not_in(dict(chosen.labels)))
        for name in dict(chosen.labels):
            others = [each for each in chosen.labels if each[0] != name]
            here = replace(chosen, labels=others)
            labels |= self._label_values(here, EPISODE_LABELS.c.name == name)
        failed = and_(
            self._chosen_episodes(replace(chosen, failures=())),
            EPISODES.c.failure.is_not(None),
            EPISODES.c.fault.is_(None),
        )
        grouped = self._chosen_episodes(replace(chosen, groups=()))
        return EpisodeFacets(
            failures=self.values(EPISODES.c.failure, failed, OF_RUNS),
            groups=self.values(EPISODES.c.group, grouped, OF_RUNS),
            labels=dict(sorted(labels.items())),
        )

    def episode(self, path: str, episode_id: str) -> EpisodeDetail | None:
        """An episode of a run, with its steps; None if it is not final or not of that run."""
        joined = select(RUNS.c.path, EPISODES, *_TIMES).select_from(TIMED)
        wanted = joined.where(self.here(), RUNS.c.path == path, EPISODES.c.episode_id == episode_id)
        row = next(iter(self.mappings(wanted.order_by(EPISODES.c.seq).limit(1))), None)
        if row is None:
            return None
        place = row["run"], row["seq"]
        labels = self._below(EPISODE_LABELS, place, "name")
        metrics = self._below(EPISODE_METRICS, place, "name")
        goals = self._below(GOAL_CONDITIONS, place, "place")
        return EpisodeDetail(
            episode=_episode_row(row),
            labels={each["name"]: each["value"] for each in labels},
            metrics={each["name"]: each["value"] for each in metrics},
            added_metrics=self._added(row),
            goal_conditions=tuple(
                GoalRow(each["name"], each["met"], each["held_at_start"]) for each in goals
            ),
            steps=tuple(_step_rows(row["first_frame"], self._below(STEPS, place, "place"))),
        )

    def episode_labels(self, path: str) -> Mapping[int, Mapping[str, str]]:
        """The labels of the run's episodes by ``seq``; an episode without labels is missing."""
        table = EPISODE_LABELS.c
        wanted = select(table.episode, table.name, table.value).where(
            table.run == self.key_of(path)
        )
        found: dict[int, dict[str, str]] = {}
        for seq, name, value in self._connection.execute(wanted):
            found.setdefault(seq, {})[name] = value
        return found

    def _chosen_episodes(self, chosen: EpisodeFilter) -> ColumnElement[bool]:
        parts = [self.chosen_runs(chosen.of_runs)]
        if chosen.runs:
            parts.append(RUNS.c.path.in_(chosen.runs))
        if chosen.outcomes:
            parts.append(or_(*(_OUTCOMES[Outcome(each)] for each in chosen.outcomes)))
        for column, values in (
            (EPISODES.c.failure, chosen.failures),
            (EPISODES.c.group, chosen.groups),
            (EPISODES.c.task_id, chosen.tasks),
        ):
            if values:
                parts.append(column.in_(values))
        for name in dict(chosen.labels):
            labelled = select(EPISODE_LABELS.c.run).where(
                LABELLED,
                EPISODE_LABELS.c.name == name,
                EPISODE_LABELS.c.value.in_([value for of, value in chosen.labels if of == name]),
            )
            # Not of the labels around it, which may be joined.
            parts.append(exists(labelled.correlate(EPISODES)))
        if chosen.steps_from is not None:
            parts.append(EPISODES.c.steps >= chosen.steps_from)
        if chosen.steps_to is not None:
            parts.append(EPISODES.c.steps <= chosen.steps_to)
        if chosen.search:
            searched = ("task_id", "episode_id", "instruction")
            parts.append(contains([EPISODES.c[name] for name in searched], chosen.search))
        return and_(*parts)

    def _label_values(
        self, chosen: EpisodeFilter, named: ColumnElement[bool]
    ) -> dict[str, dict[str, int]]:
        """The values of the episodes' labels, by name."""
        name, value, count = EPISODE_LABELS.c.name, EPISODE_LABELS.c.value, func.count()
        wanted = (
            select(name, value, count)
            .select_from(OF_RUNS.join(EPISODE_LABELS, LABELLED))
            .where(self._chosen_episodes(chosen), named)
            .group_by(name, value)
            .order_by(count.desc(), name, value)
            .limit(MOST_LISTED)
        )
        found: dict[str, dict[str, int]] = {}
        for label, each, episodes in self._connection.execute(wanted):
            found.setdefault(label, {})[each] = episodes
        return found

    def _added(self, row: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """The numbers that were added to an episode as it is now."""
        table = ADDED_METRICS.c
        same = (table.run == row["run"], table.episode_id == row["episode_id"])
        wanted = select(ADDED_METRICS).where(*same, table.transcript_head == row["transcript_head"])
        found: dict[str, dict[str, float]] = {}
        for each in self.mappings(wanted.order_by(table.score, table.name)):
            found.setdefault(each["score"], {})[each["name"]] = each["value"]
        return found

    def _below(self, table: Any, place: tuple[int, int], order: str) -> Sequence[Mapping[str, Any]]:
        where = and_(table.c.run == place[0], table.c.episode == place[1])
        return self.mappings(select(table).where(where).order_by(table.c[order]))


_TIMES = [EPISODE_TIMES.c[name].label(f"event_{name}") for name in ("began_ns", "ended_ns")]
_EPISODE_SORTS: Mapping[EpisodeSort, ColumnElement[Any]] = {
    EpisodeSort.RUN: RUNS.c.path,
    EpisodeSort.TASK: EPISODES.c.task_id,
    EpisodeSort.STEPS: EPISODES.c.steps,
    EpisodeSort.GOALS_GAINED: EPISODES.c.goals_gained,
    EpisodeSort.SECONDS: EPISODES.c.agent_seconds,
    EpisodeSort.COST: EPISODES.c.cost_usd,
    EpisodeSort.FAILURE: EPISODES.c.failure,
}
_OUTCOMES: Mapping[Outcome, ColumnElement[bool]] = {
    Outcome.SUCCESS: and_(EPISODES.c.success, EPISODES.c.fault.is_(None)),
    Outcome.FAILURE: and_(EPISODES.c.success.is_(False), EPISODES.c.fault.is_(None)),
    Outcome.UNSCORED: EPISODES.c.fault.is_not(None),
}
_EPISODE_FIELDS = EpisodeRow.__slots__


def _episode_row(row: Mapping[str, Any]) -> EpisodeRow:
    times = {
        "began": moment(row["event_began_ns"] or 0),
        "ended": moment(row["event_ended_ns"] or row["ended_ns"]),
    }
    values = exact(row) | times | {"run": row["path"]}
    return EpisodeRow(**{name: values[name] for name in _EPISODE_FIELDS})


def _step_rows(first: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[StepRow]:
    before = first
    names = ("place", "kind", "action", "outcome", "feedback", "tokens")
    for row in map(exact, rows):
        yield StepRow(
            frame_before=before,
            frame_after=row["frame"],
            agent_seconds=row["agent_seconds"],
            environment_seconds=row["environment_seconds"],
            **{name: row[name] for name in names},
        )
        before = row["frame"] or before
