"""What the index answers: runs, their groups and episodes, tasks over runs, leaderboards.

Every answer is a frozen dataclass of plain values. Texts in them come from runs, and so from agents
and tasks: escape them wherever you show them. Rates are None where nothing was scored. All seconds
are sums over scored episodes, tokens and dollars what agents claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import median
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select, and_, case, exists, func, or_, select
from sqlalchemy.sql import ColumnElement, FromClause

from env_service.index.schema import (
    EPISODE_LABELS,
    EPISODE_METRICS,
    EPISODES,
    GOAL_CONDITIONS,
    RUNS,
    STEPS,
    TASKS,
    UNCOUNTED,
    VOIDS,
)
from env_service.results.statistics import rate_interval

T = TypeVar("T")
_LISTED = 200
"""Values of a facet that are listed."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows of a list: ``limit`` of them after the first ``offset``."""

    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """The rows of a page, and how many there are on all pages."""

    total: int
    rows: tuple[T, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. ``path`` is its folder's name in the folder of runs; the rest is as in the table.

    ``goals_gained`` and ``goals_met`` are means over scored episodes, ``low`` and ``high`` the 95 %
    interval of the rate. ``cost_usd`` is None where no agent reported a call of a model.
    """

    path: str
    revision: int
    run_id: str
    identity: str
    setting: str
    suite: str
    suite_version: str
    task_set: str
    task_set_digest: str
    world: str
    condition: str
    seed: int
    repeats: int
    planned: int
    agent: str
    agent_digest: str
    agent_name: str
    model: str
    mixture: str
    created: str
    status: str
    problem: str
    changed_ns: int
    final: int
    scored: int
    successes: int
    rate: float | None
    low: float | None
    high: float | None
    goals_gained: float | None
    goals_met: float | None
    steps: int
    agent_seconds: float
    environment_seconds: float
    calls: int
    input_tokens: int
    output_tokens: int
    tokens: int
    cost_usd: float | None
    uncounted_tokens: int
    uncounted_cost_usd: float
    voids: int
    uncounted: int
    without_steps: int


class RunSort(StrEnum):
    """What a list of runs is sorted by."""

    CREATED = "created"
    CHANGED = "changed"
    PATH = "path"
    SUITE = "suite"
    WORLD = "world"
    AGENT = "agent"
    MODEL = "model"
    STATUS = "status"
    RATE = "rate"
    GOALS_GAINED = "goals_gained"
    EPISODES = "episodes"
    STEPS = "steps"
    TOKENS = "tokens"
    COST = "cost"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs: those that fulfil every part; an empty part is fulfilled by all.

    Lists name values of which one has to be equal. ``search`` is a text that has to be in the
    path, the suite, the agent's specification or declared name, or the model, in any case of
    letters. ``created_from`` (included) and ``created_to`` (excluded) are ISO 8601, also a part
    such as ``2026-11``. ``mixtures``: whether runs of several agents are among them.
    """

    paths: Sequence[str] = ()
    search: str = ""
    suites: Sequence[str] = ()
    task_sets: Sequence[str] = ()
    worlds: Sequence[str] = ()
    agents: Sequence[str] = ()
    models: Sequence[str] = ()
    conditions: Sequence[str] = ()
    settings: Sequence[str] = ()
    statuses: Sequence[str] = ()
    created_from: str = ""
    created_to: str = ""
    mixtures: bool = True


@dataclass(frozen=True, slots=True)
class Facets:
    """The values that runs have, each with the number of runs: for lists to choose from."""

    suites: Mapping[str, int]
    task_sets: Mapping[str, int]
    worlds: Mapping[str, int]
    agents: Mapping[str, int]
    models: Mapping[str, int]
    conditions: Mapping[str, int]
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """The scored episodes of a run that share a group, or a label's value."""

    name: str
    scored: int
    successes: int
    rate: float
    low: float
    high: float
    goals_gained: float | None
    steps: int


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """A final episode. ``run`` is its run's path; the rest is as in the table."""

    run: str
    seq: int
    episode_id: str
    task_id: str
    group: str
    cluster: str
    repeat: int
    seed: int
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

    ``runs`` are paths, ``labels`` pairs of a name and a value: of each name that is there, the
    episode has to have one of the values. ``steps_from`` and ``steps_to`` bounds that belong to the
    range. ``search`` is a text in the task's id, the episode's id or the instruction. ``of_runs``
    says of which runs.
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
    of_runs: RunFilter = field(default_factory=RunFilter)


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
    """An episode with all that the index has of it. The rest is in its transcript."""

    episode: EpisodeRow
    labels: Mapping[str, str]
    metrics: Mapping[str, float]
    goal_conditions: tuple[GoalRow, ...]
    steps: tuple[StepRow, ...]


@dataclass(frozen=True, slots=True)
class LostRow:
    """An attempt without a result: a void, or an episode that does not count. ``cause`` is the
    fault of a void and the ``Cause`` of others; ``detail`` says more."""

    kind: str
    seq: int
    episode_id: str
    task_id: str
    repeat: int
    cause: str
    detail: str
    session: str
    agent: str
    tokens: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task over the runs of one task set in one world. ``steps`` is the mean over episodes."""

    suite: str
    suite_version: str
    task_set: str
    task_set_digest: str
    world: str
    task_id: str
    group: str
    instruction: str
    runs: int
    scored: int
    successes: int
    rate: float
    goals_gained: float | None
    steps: float


@dataclass(frozen=True, slots=True)
class Standing:
    """An agent's row on a leaderboard, over all its runs there.

    ``rates`` has the success rate of every repeat of every run, the highest first; ``best`` and
    ``median`` are of these. ``rate``, ``low`` and ``high`` are over all episodes. ``runs`` are
    paths.
    """

    agent: str
    agent_digest: str
    agent_name: str
    model: str
    runs: tuple[str, ...]
    rates: tuple[float, ...]
    best: float
    median: float
    scored: int
    successes: int
    rate: float
    low: float
    high: float
    goals_gained: float | None
    steps: float
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The complete runs of one setting: equal suite, rules, task set, selected tasks, world,
    condition and time budgets. The best median comes first."""

    setting: str
    suite: str
    suite_version: str
    task_set: str
    task_set_digest: str
    world: str
    condition: str
    tasks: int
    standings: tuple[Standing, ...]


class IndexReader:
    """Questions to one folder's index, in one transaction. Get it from ``Index.read``."""

    def __init__(self, connection: Connection, root: str) -> None:
        self._connection, self._root = connection, root

    # --- Runs

    def runs(
        self,
        chosen: RunFilter = RunFilter(),
        *,
        sort: RunSort = RunSort.CREATED,
        descending: bool = True,
        page: Page = Page(),
    ) -> Listed[RunRow]:
        """The runs that the filter chooses."""
        where = self._chosen(chosen)
        rows = self._page(
            select(RUNS).where(where), (_RUN_SORTS[sort], RUNS.c.path), descending, page
        )
        return Listed(self._count(RUNS.c.id, where), tuple(map(_run_row, rows)))

    def run(self, path: str) -> RunRow | None:
        """The run of that folder's name; None if there is none."""
        found = self._mappings(select(RUNS).where(self._here(), RUNS.c.path == path))
        return next(map(_run_row, found), None)

    def facets(self, chosen: RunFilter = RunFilter()) -> Facets:
        """The values that the chosen runs have, the most frequent first."""
        names = ("suite", "task_set", "world", "agent", "model", "condition", "status")
        counts = [self._values(RUNS.c[name], self._chosen(chosen)) for name in names]
        return Facets(*counts)

    def groups(self, path: str) -> tuple[GroupRow, ...]:
        """The run's results by group, in alphabetical order."""
        return self._grouped(path, EPISODES.c.group, None)

    def label_names(self, path: str) -> tuple[str, ...]:
        """The labels that the run's episodes have."""
        wanted = select(EPISODE_LABELS.c.name).where(EPISODE_LABELS.c.run == self._key(path))
        wanted = wanted.distinct().order_by(EPISODE_LABELS.c.name)
        return tuple(self._connection.scalars(wanted))

    def labels(self, path: str, name: str) -> tuple[GroupRow, ...]:
        """The run's results by the value of a label."""
        return self._grouped(path, EPISODE_LABELS.c.value, name)

    def failures(self, path: str) -> Mapping[str, int]:
        """How often the run's scored episodes failed for each reason, the most frequent first."""
        where = and_(
            EPISODES.c.run == self._key(path),
            EPISODES.c.failure.is_not(None),
            EPISODES.c.fault.is_(None),
        )
        return self._values(EPISODES.c.failure, where, EPISODES)

    def lost(self, path: str) -> tuple[LostRow, ...]:
        """The run's attempts without a result: voids, then others, each in their order."""
        key = self._key(path)
        found = []
        for table, kind, cause, detail in (
            (VOIDS, "void", "fault", "detail"),
            (UNCOUNTED, "uncounted", "cause", "message"),
        ):
            rows = self._mappings(select(table).where(table.c.run == key).order_by(table.c.seq))
            shared = ("seq", "episode_id", "task_id", "repeat", "session", "agent", "cost_usd")
            found += [
                LostRow(
                    kind=kind,
                    cause=row[cause],
                    detail=row[detail],
                    tokens=row["input_tokens"] + row["output_tokens"],
                    **{name: row[name] for name in shared},
                )
                for row in rows
            ]
        return tuple(found)

    # --- Episodes

    def episodes(
        self,
        chosen: EpisodeFilter = EpisodeFilter(),
        *,
        sort: EpisodeSort = EpisodeSort.RUN,
        descending: bool = False,
        page: Page = Page(),
    ) -> Listed[EpisodeRow]:
        """The final episodes that the filter chooses."""
        where = self._chosen_episodes(chosen)
        joined = select(RUNS.c.path, EPISODES).join(RUNS, RUNS.c.id == EPISODES.c.run).where(where)
        order = (_EPISODE_SORTS[sort], RUNS.c.path, EPISODES.c.seq)
        rows = self._page(joined, order, descending, page)
        counted = select(func.count()).select_from(EPISODES).join(RUNS, RUNS.c.id == EPISODES.c.run)
        total = self._connection.execute(counted.where(where)).scalar_one()
        return Listed(total, tuple(map(_episode_row, rows)))

    def episode_facets(self, chosen: EpisodeFilter = EpisodeFilter()) -> EpisodeFacets:
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
            failures=self._values(EPISODES.c.failure, failed, _OF_RUNS),
            groups=self._values(EPISODES.c.group, grouped, _OF_RUNS),
            labels=dict(sorted(labels.items())),
        )

    def episode(self, path: str, episode_id: str) -> EpisodeDetail | None:
        """An episode of a run, with its steps; None if it is not final or not of that run."""
        joined = select(RUNS.c.path, EPISODES).join(RUNS, RUNS.c.id == EPISODES.c.run)
        wanted = joined.where(
            self._here(), RUNS.c.path == path, EPISODES.c.episode_id == episode_id
        )
        row = next(iter(self._mappings(wanted.order_by(EPISODES.c.seq).limit(1))), None)
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
            goal_conditions=tuple(
                GoalRow(each["name"], each["met"], each["held_at_start"]) for each in goals
            ),
            steps=tuple(_step_rows(row["first_frame"], self._below(STEPS, place, "place"))),
        )

    def episode_labels(self, path: str) -> Mapping[int, Mapping[str, str]]:
        """The labels of the run's episodes by ``seq``; an episode without labels is missing."""
        table = EPISODE_LABELS.c
        wanted = select(table.episode, table.name, table.value).where(table.run == self._key(path))
        found: dict[int, dict[str, str]] = {}
        for seq, name, value in self._connection.execute(wanted):
            found.setdefault(seq, {})[name] = value
        return found

    # --- Over runs

    def tasks(
        self,
        chosen: RunFilter = RunFilter(),
        *,
        page: Page = Page(),
    ) -> Listed[TaskRow]:
        """The tasks that the chosen runs scored, the hardest first: by success rate, then by goal
        conditions gained. In another task set or world, or by other rules, a task is another
        one."""
        joined = TASKS.join(RUNS, RUNS.c.id == TASKS.c.run)
        names = ("suite", "suite_version", "task_set", "task_set_digest", "world")
        same = [RUNS.c[name] for name in names]
        scored, gained_n = func.sum(TASKS.c.scored), func.sum(TASKS.c.gained_n)
        rate = func.sum(TASKS.c.successes) * 1.0 / scored
        gained = case((gained_n > 0, func.sum(TASKS.c.gained_sum) / gained_n))
        wanted = (
            select(
                *same,
                TASKS.c.task_id,
                func.min(TASKS.c.group).label("group"),
                func.min(TASKS.c.instruction).label("instruction"),
                func.count().label("runs"),
                scored.label("scored"),
                func.sum(TASKS.c.successes).label("successes"),
                rate.label("rate"),
                gained.label("goals_gained"),
                (func.sum(TASKS.c.steps) * 1.0 / scored).label("steps"),
            )
            .select_from(joined)
            .where(self._chosen(chosen), TASKS.c.scored > 0)
            .group_by(*same, TASKS.c.task_id)
        )
        total = self._connection.execute(select(func.count()).select_from(wanted.subquery()))
        order = (rate, gained.nulls_first(), *same, TASKS.c.task_id)
        rows = self._mappings(wanted.order_by(*order).offset(page.offset).limit(page.limit))
        return Listed(total.scalar_one(), tuple(map(_task_row, rows)))

    def leaderboards(
        self,
        chosen: RunFilter = RunFilter(),
    ) -> tuple[Leaderboard, ...]:
        """A leaderboard for each setting of the chosen runs, those of the most agents first.

        Only complete runs of a single agent count, because the rate of some tasks is not that of
        all. Runs of one agent with several seeds are repeats; an edited agent is another one.
        """
        complete = and_(
            self._chosen(chosen),
            RUNS.c.status == "complete",
            RUNS.c.mixture == "",
            RUNS.c.scored > 0,
        )
        runs = self._mappings(select(RUNS).where(complete).order_by(RUNS.c.path))
        repeats, episodes = self._repeat_rates(complete), self._scores(complete)
        boards: dict[str, dict[tuple[str, str], list[Mapping[str, Any]]]] = {}
        for row in runs:
            who = row["agent"], row["agent_digest"]
            boards.setdefault(row["setting"], {}).setdefault(who, []).append(row)
        made = []
        for setting, agents in boards.items():
            standings = [_standing(of_agent, repeats, episodes) for of_agent in agents.values()]
            standings.sort(key=lambda each: (-each.median, -each.best, each.agent))
            first = next(iter(agents.values()))[0]
            shared = ("suite", "suite_version", "task_set", "task_set_digest", "world", "condition")
            made.append(
                Leaderboard(
                    setting=setting,
                    tasks=first["planned"] // max(first["repeats"], 1),
                    standings=tuple(standings),
                    **{name: first[name] for name in shared},
                )
            )
        made.sort(key=lambda each: (-len(each.standings), each.suite, each.task_set, each.setting))
        return tuple(made)

    # --- Parts of questions

    def _here(self) -> ColumnElement[bool]:
        return RUNS.c.root == self._root

    def _key(self, path: str) -> Any:
        """The run's number, as a part of a query."""
        return select(RUNS.c.id).where(self._here(), RUNS.c.path == path).scalar_subquery()

    def _chosen(self, chosen: RunFilter) -> ColumnElement[bool]:
        parts = [self._here()]
        for column, values in (
            ("path", chosen.paths),
            ("suite", chosen.suites),
            ("task_set", chosen.task_sets),
            ("world", chosen.worlds),
            ("agent", chosen.agents),
            ("model", chosen.models),
            ("condition", chosen.conditions),
            ("setting", chosen.settings),
            ("status", chosen.statuses),
        ):
            if values:
                parts.append(RUNS.c[column].in_(values))
        if chosen.search:
            searched = ("path", "suite", "agent", "agent_name", "model")
            parts.append(_contains([RUNS.c[name] for name in searched], chosen.search))
        if chosen.created_from:
            parts.append(RUNS.c.created >= chosen.created_from)
        if chosen.created_to:
            parts.append(RUNS.c.created < chosen.created_to)
        if not chosen.mixtures:
            parts.append(RUNS.c.mixture == "")
        return and_(*parts)

    def _chosen_episodes(self, chosen: EpisodeFilter) -> ColumnElement[bool]:
        parts = [self._chosen(chosen.of_runs)]
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
                _LABELLED,
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
            parts.append(_contains([EPISODES.c[name] for name in searched], chosen.search))
        return and_(*parts)

    def _mappings(self, query: Select[Any]) -> Sequence[Mapping[str, Any]]:
        return [dict(row) for row in self._connection.execute(query).mappings()]

    def _page(
        self,
        query: Select[Any],
        order: tuple[ColumnElement[Any], ...],
        descending: bool,  # noqa: FBT001 - private
        page: Page,
    ) -> Sequence[Mapping[str, Any]]:
        first, *ties = order
        # What has no value comes last either way.
        by = (first.desc() if descending else first.asc()).nulls_last()
        return self._mappings(query.order_by(by, *ties).offset(page.offset).limit(page.limit))

    def _count(self, column: ColumnElement[Any], where: ColumnElement[bool]) -> int:
        return self._connection.execute(select(func.count(column)).where(where)).scalar_one()

    def _values(
        self, column: ColumnElement[Any], where: ColumnElement[bool], source: FromClause = RUNS
    ) -> dict[str, int]:
        count = func.count()
        wanted = select(column, count).select_from(source).where(where).group_by(column)
        rows = self._connection.execute(wanted.order_by(count.desc(), column).limit(_LISTED))
        return {row[0]: row[1] for row in rows}

    def _label_values(
        self, chosen: EpisodeFilter, named: ColumnElement[bool]
    ) -> dict[str, dict[str, int]]:
        """The values of the episodes' labels, by name."""
        name, value, count = EPISODE_LABELS.c.name, EPISODE_LABELS.c.value, func.count()
        wanted = (
            select(name, value, count)
            .select_from(_OF_RUNS.join(EPISODE_LABELS, _LABELLED))
            .where(self._chosen_episodes(chosen), named)
            .group_by(name, value)
            .order_by(count.desc(), name, value)
            .limit(_LISTED)
        )
        found: dict[str, dict[str, int]] = {}
        for label, each, episodes in self._connection.execute(wanted):
            found.setdefault(label, {})[each] = episodes
        return found

    def _below(self, table: Any, place: tuple[int, int], order: str) -> Sequence[Mapping[str, Any]]:
        where = and_(table.c.run == place[0], table.c.episode == place[1])
        return self._mappings(select(table).where(where).order_by(table.c[order]))

    def _grouped(
        self, path: str, by: ColumnElement[str], label: str | None
    ) -> tuple[GroupRow, ...]:
        table = EPISODES.c
        columns = (table.success, table.cluster, table.task_id, table.goals_gained, table.steps)
        wanted = select(by.label("name"), *columns).where(
            table.run == self._key(path), table.fault.is_(None)
        )
        if label is not None:
            wanted = wanted.join(EPISODE_LABELS, _LABELLED).where(EPISODE_LABELS.c.name == label)
        groups: dict[str, list[Any]] = {}
        for row in self._connection.execute(wanted.order_by(table.seq)):
            groups.setdefault(row.name, []).append(row)
        return tuple(_group_row(name, groups[name]) for name in sorted(groups))

    def _repeat_rates(self, where: ColumnElement[bool]) -> dict[int, list[float]]:
        """The success rates of each run's repeats."""
        joined = EPISODES.join(RUNS, RUNS.c.id == EPISODES.c.run)
        wins = func.sum(case((EPISODES.c.success, 1), else_=0))
        wanted = (
            select(EPISODES.c.run, wins, func.count())
            .select_from(joined)
            .where(where, EPISODES.c.fault.is_(None))
            .group_by(EPISODES.c.run, EPISODES.c.repeat)
            .order_by(EPISODES.c.run, EPISODES.c.repeat)
        )
        rates: dict[int, list[float]] = {}
        for run, won, count in self._connection.execute(wanted):
            rates.setdefault(run, []).append(int(won) / count)
        return rates

    def _scores(self, where: ColumnElement[bool]) -> dict[int, list[tuple[bool, str, str]]]:
        """(success, cluster, task id) of each run's scored episodes."""
        joined = EPISODES.join(RUNS, RUNS.c.id == EPISODES.c.run)
        wanted = select(
            EPISODES.c.run, EPISODES.c.success, EPISODES.c.cluster, EPISODES.c.task_id
        ).select_from(joined)
        scores: dict[int, list[tuple[bool, str, str]]] = {}
        for run, *score in self._connection.execute(
            wanted.where(where, EPISODES.c.fault.is_(None))
        ):
            scores.setdefault(run, []).append(tuple(score))
        return scores


_OF_RUNS = EPISODES.join(RUNS, RUNS.c.id == EPISODES.c.run)
_LABELLED = and_(EPISODE_LABELS.c.run == EPISODES.c.run, EPISODE_LABELS.c.episode == EPISODES.c.seq)
_RATE = case((RUNS.c.scored > 0, RUNS.c.successes * 1.0 / RUNS.c.scored))
_RUN_SORTS: Mapping[RunSort, ColumnElement[Any]] = {
    RunSort.CREATED: RUNS.c.created,
    RunSort.CHANGED: RUNS.c.changed_ns,
    RunSort.PATH: RUNS.c.path,
    RunSort.SUITE: RUNS.c.suite,
    RunSort.WORLD: RUNS.c.world,
    RunSort.AGENT: RUNS.c.agent,
    RunSort.MODEL: RUNS.c.model,
    RunSort.STATUS: RUNS.c.status,
    RunSort.RATE: _RATE,
    RunSort.GOALS_GAINED: case((RUNS.c.gained_n > 0, RUNS.c.gained_sum / RUNS.c.gained_n)),
    RunSort.EPISODES: RUNS.c.final,
    RunSort.STEPS: RUNS.c.steps,
    RunSort.TOKENS: RUNS.c.input_tokens + RUNS.c.output_tokens,
    RunSort.COST: case((RUNS.c.calls > 0, RUNS.c.cost_usd)),
    RunSort.SECONDS: RUNS.c.agent_seconds,
}
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
_RUN_FIELDS = RunRow.__slots__
_EPISODE_FIELDS = EpisodeRow.__slots__


def _contains(columns: Sequence[ColumnElement[str]], searched: str) -> ColumnElement[bool]:
    return or_(*(column.icontains(searched, autoescape=True) for column in columns))


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None


def _run_row(row: Mapping[str, Any]) -> RunRow:
    computed = {
        "rate": _mean(row["successes"], row["scored"]),
        "goals_gained": _mean(row["gained_sum"], row["gained_n"]),
        "goals_met": _mean(row["met_sum"], row["scored"]),
        "tokens": row["input_tokens"] + row["output_tokens"],
        "cost_usd": row["cost_usd"] if row["calls"] else None,
    }
    values = dict(row) | computed
    return RunRow(**{name: values[name] for name in _RUN_FIELDS})


def _episode_row(row: Mapping[str, Any]) -> EpisodeRow:
    values = dict(row) | {"run": row["path"]}
    return EpisodeRow(**{name: values[name] for name in _EPISODE_FIELDS})


def _step_rows(first: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[StepRow]:
    before = first
    names = ("place", "kind", "action", "outcome", "feedback", "tokens")
    for row in rows:
        yield StepRow(
            frame_before=before,
            frame_after=row["frame"],
            agent_seconds=row["agent_seconds"],
            environment_seconds=row["environment_seconds"],
            **{name: row[name] for name in names},
        )
        before = row["frame"] or before


def _task_row(row: Mapping[str, Any]) -> TaskRow:
    # PostgreSQL adds up whole numbers as decimals.
    whole = {name: int(row[name]) for name in ("scored", "successes")}
    number = {name: float(row[name]) for name in ("rate", "steps")}
    return TaskRow(**{**row, **whole, **number})


def _group_row(name: str, rows: Sequence[Any]) -> GroupRow:
    successes = sum(bool(row.success) for row in rows)
    low, high = _interval([(row.success, row.cluster, row.task_id) for row in rows])
    gained = [row.goals_gained for row in rows if row.goals_gained is not None]
    return GroupRow(
        name=name,
        scored=len(rows),
        successes=successes,
        rate=successes / len(rows),
        low=low,
        high=high,
        goals_gained=_mean(sum(gained), len(gained)),
        steps=sum(row.steps for row in rows),
    )


def _interval(scores: Sequence[tuple[bool, str, str]]) -> tuple[float, float]:
    successes, clusters, tasks = zip(*scores, strict=True)
    low, high = rate_interval([float(each) for each in successes], clusters, tasks)
    return float(low), float(high)


def _standing(
    runs: Sequence[Mapping[str, Any]],
    repeats: Mapping[int, Sequence[float]],
    episodes: Mapping[int, Sequence[tuple[bool, str, str]]],
) -> Standing:
    """Of the runs of one agent in one setting, at least one."""
    first = runs[0]
    rates = sorted((rate for run in runs for rate in repeats[run["id"]]), reverse=True)
    low, high = _interval([score for run in runs for score in episodes[run["id"]]])
    scored = sum(run["scored"] for run in runs)
    successes = sum(run["successes"] for run in runs)
    gained = sum(run["gained_n"] for run in runs)
    priced = any(run["calls"] for run in runs)
    return Standing(
        agent=first["agent"],
        agent_digest=first["agent_digest"],
        agent_name=first["agent_name"],
        model=first["model"],
        runs=tuple(run["path"] for run in runs),
        rates=tuple(rates),
        best=rates[0],
        median=median(rates),
        scored=scored,
        successes=successes,
        rate=successes / scored,
        low=low,
        high=high,
        goals_gained=_mean(sum(run["gained_sum"] for run in runs), gained),
        steps=sum(run["steps"] for run in runs) / scored,
        cost_usd=sum(run["cost_usd"] for run in runs) if priced else None,
    )
