"""What the index answers about runs: their results, groups and labels, and tasks over runs.

Every answer is a frozen dataclass of plain values. Texts in them come from runs, and so from agents
and tasks: escape them wherever you show them. Rates are None where nothing was scored. All seconds
are sums over scored episodes, tokens and dollars what agents claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import and_, case, func, select
from sqlalchemy.sql import ColumnElement

from env_service.index.reading import (
    FIRST_PAGE,
    LABELLED,
    Listed,
    Page,
    Reading,
    contains,
    exact,
    interval_of,
    mean_of,
    moment,
)
from env_service.index.schema import (
    ADDED_METRICS,
    ADDED_SCORES,
    EPISODE_LABELS,
    EPISODES,
    LOST_AGENTS,
    RUNS,
    TASKS,
    UNCOUNTED,
    VERIFICATIONS,
    VOIDS,
)


class Verified(StrEnum):
    """What is known about whether a run verifies."""

    PASSED = "passed"
    """It passed, and did not change since."""
    FAILED = "failed"
    """Problems were found, and it did not change since."""
    CHANGED = "changed"
    """It changed since it was verified, or plays now."""
    NEVER = "never"
    """The index has no verification of it."""


@dataclass(frozen=True, slots=True)
class VerificationRow:
    """The last verification of a run; see the table. ``created`` is ISO 8601, UTC."""

    created: str
    houseguest: str
    episodes: int
    replayed: int
    problems: int
    public_key: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. ``path`` is its folder's name in the folder of runs; the rest is as in the table.

    ``goals_gained`` and ``goals_met`` are means over scored episodes, ``low`` and ``high`` the 95 %
    interval of the rate. ``cost_usd`` is None where no agent reported a call of a model. ``seed``
    is a text, because JavaScript rounds large numbers. ``changed`` is when a file of the run
    changed last, ISO 8601, UTC: the end of a run that does not play. ``verified`` is a value of
    Verified, and ``verification`` says more unless that is NEVER.
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
    budgets: str
    seed: str
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
    changed: str
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
    lost_agents: int
    verified: str
    verification: VerificationRow | None


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
    verified: Sequence[str] = ()
    created_from: str = ""
    created_to: str = ""
    mixtures: bool = True


ALL_RUNS = RunFilter()


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
    verified: Mapping[str, int]


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
class LostAgentRow:
    """An agent's process that ended early. ``sessions`` are those that it held, joined by ", ";
    ``times``: in a row. ``final``: it was not started
    again. ``step`` counts from 0."""

    failure: str
    sessions: str
    exit_code: int | None
    times: int
    final: bool
    episode_id: str
    step: int | None
    problem: str
    log_tail: str


@dataclass(frozen=True, slots=True)
class AddedScoresRow:
    """Scores that a command added to a run. ``episodes`` counts the scored episodes that they
    cover, ``means`` are over these. ``problem`` says why they cannot be read."""

    name: str
    description: str
    problem: str
    episodes: int
    means: Mapping[str, float]


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


class RunQueries(Reading):
    """Questions about runs."""

    def runs(
        self,
        chosen: RunFilter = ALL_RUNS,
        *,
        sort: RunSort = RunSort.CREATED,
        descending: bool = True,
        page: Page = FIRST_PAGE,
    ) -> Listed[RunRow]:
        """The runs that the filter chooses."""
        where = self.chosen_runs(chosen)
        order = (_RUN_SORTS[sort], RUNS.c.path)
        rows = self.rows_of(page, select(RUNS).where(where), order, descending=descending)
        return Listed(self.count(where), self._run_rows(rows))

    def run(self, path: str) -> RunRow | None:
        """The run of that folder's name; None if there is none."""
        found = self.mappings(select(RUNS).where(self.here(), RUNS.c.path == path))
        return next(iter(self._run_rows(found)), None)

    def facets(self, chosen: RunFilter = ALL_RUNS) -> Facets:
        """The values that the chosen runs have, the most frequent first."""
        names = ("suite", "task_set", "world", "agent", "model", "condition", "status")
        columns = [*(RUNS.c[name] for name in names), VERIFIED]
        return Facets(*(self.values(each, self.chosen_runs(chosen)) for each in columns))

    def groups(self, path: str) -> tuple[GroupRow, ...]:
        """The run's results by group, in alphabetical order."""
        return self._grouped(path, EPISODES.c.group, None)

    def label_names(self, path: str) -> tuple[str, ...]:
        """The labels that the run's episodes have."""
        wanted = select(EPISODE_LABELS.c.name).where(EPISODE_LABELS.c.run == self.key_of(path))
        wanted = wanted.distinct().order_by(EPISODE_LABELS.c.name)
        return tuple(self._connection.scalars(wanted))

    def labels(self, path: str, name: str) -> tuple[GroupRow, ...]:
        """The run's results by the value of a label."""
        return self._grouped(path, EPISODE_LABELS.c.value, name)

    def failures(self, path: str) -> Mapping[str, int]:
        """How often the run's scored episodes failed for each reason, the most frequent first."""
        where = and_(
            EPISODES.c.run == self.key_of(path),
            EPISODES.c.failure.is_not(None),
            EPISODES.c.fault.is_(None),
        )
        return self.values(EPISODES.c.failure, where, EPISODES)

    def lost(self, path: str) -> tuple[LostRow, ...]:
        """The run's attempts without a result: voids, then others, each in their order."""
        key = self.key_of(path)
        found = []
        for table, kind, cause, detail in (
            (VOIDS, "void", "fault", "detail"),
            (UNCOUNTED, "uncounted", "cause", "message"),
        ):
            rows = self.mappings(select(table).where(table.c.run == key).order_by(table.c.seq))
            shared = ("seq", "episode_id", "task_id", "repeat", "session", "agent", "cost_usd")
            found += [
                LostRow(
                    kind=kind,
                    cause=row[cause],
                    detail=row[detail],
                    tokens=row["input_tokens"] + row["output_tokens"],
                    **{name: row[name] for name in shared},
                )
                for row in map(exact, rows)
            ]
        return tuple(found)

    def ended_since(self, path: str, ns: int) -> int:
        """How many of the run's episodes ended after a time, in ns since 1970."""
        return self.count(
            and_(EPISODES.c.run == self.key_of(path), EPISODES.c.ended_ns > ns), EPISODES
        )

    def lost_agents(self, path: str) -> tuple[LostAgentRow, ...]:
        """The run's agents that ended early, in order; the last ones, if there are many."""
        wanted = select(LOST_AGENTS).where(LOST_AGENTS.c.run == self.key_of(path))
        rows = self.mappings(wanted.order_by(LOST_AGENTS.c.seq))
        return tuple(LostAgentRow(**{n: row[n] for n in LostAgentRow.__slots__}) for row in rows)

    def added_scores(self, path: str) -> tuple[AddedScoresRow, ...]:
        """The scores that commands added to the run."""
        key = self.key_of(path)
        same = and_(
            EPISODES.c.run == ADDED_METRICS.c.run,
            EPISODES.c.episode_id == ADDED_METRICS.c.episode_id,
            EPISODES.c.transcript_head == ADDED_METRICS.c.transcript_head,
            EPISODES.c.fault.is_(None),
        )
        score, name = ADDED_METRICS.c.score, ADDED_METRICS.c.name
        numbers = (func.avg(ADDED_METRICS.c.value), func.count())
        means = (
            select(score, name, *numbers)
            .select_from(ADDED_METRICS.join(EPISODES, same))
            .where(ADDED_METRICS.c.run == key)
            .group_by(score, name)
            .order_by(score, name)
        )
        found: dict[str, dict[str, float]] = {}
        counts: dict[str, int] = {}
        for each, metric, mean, count in self._connection.execute(means):
            found.setdefault(each, {})[metric] = mean
            counts[each] = max(counts.get(each, 0), count)
        wanted = select(ADDED_SCORES).where(ADDED_SCORES.c.run == key)
        return tuple(
            AddedScoresRow(
                name=row["name"],
                description=row["description"],
                problem=row["problem"],
                episodes=counts.get(row["name"], 0),
                means=found.get(row["name"], {}),
            )
            for row in self.mappings(wanted.order_by(ADDED_SCORES.c.name))
        )

    def tasks(
        self,
        chosen: RunFilter = ALL_RUNS,
        *,
        page: Page = FIRST_PAGE,
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
            .where(self.chosen_runs(chosen), TASKS.c.scored > 0)
            .group_by(*same, TASKS.c.task_id)
        )
        total = self._connection.execute(select(func.count()).select_from(wanted.subquery()))
        order = (rate, gained.nulls_first(), *same, TASKS.c.task_id)
        rows = self.mappings(wanted.order_by(*order).offset(page.offset).limit(page.limit))
        return Listed(total.scalar_one(), tuple(map(_task_row, rows)))

    def chosen_runs(self, chosen: RunFilter) -> ColumnElement[bool]:
        parts = [self.here()]
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
        if chosen.verified:
            parts.append(VERIFIED.in_(chosen.verified))
        if chosen.search:
            searched = ("path", "suite", "agent", "agent_name", "model")
            parts.append(contains([RUNS.c[name] for name in searched], chosen.search))
        if chosen.created_from:
            parts.append(RUNS.c.created >= chosen.created_from)
        if chosen.created_to:
            parts.append(RUNS.c.created < chosen.created_to)
        if not chosen.mixtures:
            parts.append(RUNS.c.mixture == "")
        return and_(*parts)

    def _run_rows(self, rows: Sequence[Mapping[str, Any]]) -> tuple[RunRow, ...]:
        wanted = select(VERIFICATIONS).where(VERIFICATIONS.c.root == self._root)
        found = {each["run_id"]: each for each in self.mappings(wanted)}
        return tuple(_run_row(row, found.get(row["run_id"])) for row in rows)

    def _grouped(
        self, path: str, by: ColumnElement[str], label: str | None
    ) -> tuple[GroupRow, ...]:
        table = EPISODES.c
        columns = (table.success, table.cluster, table.task_id, table.goals_gained, table.steps)
        wanted = select(by.label("name"), *columns).where(
            table.run == self.key_of(path), table.fault.is_(None)
        )
        if label is not None:
            wanted = wanted.join(EPISODE_LABELS, LABELLED).where(EPISODE_LABELS.c.name == label)
        groups: dict[str, list[Any]] = {}
        for row in self._connection.execute(wanted.order_by(table.seq)):
            groups.setdefault(row.name, []).append(row)
        return tuple(_group_row(name, groups[name]) for name in sorted(groups))


_CHECKED = select(
    case(
        (VERIFICATIONS.c.digest != RUNS.c.digest, Verified.CHANGED.value),
        (VERIFICATIONS.c.passed, Verified.PASSED.value),
        else_=Verified.FAILED.value,
    )
).where(VERIFICATIONS.c.root == RUNS.c.root, VERIFICATIONS.c.run_id == RUNS.c.run_id)
VERIFIED = func.coalesce(_CHECKED.correlate(RUNS).scalar_subquery(), Verified.NEVER.value)
"""A run's value of `Verified`, in a query of RUNS."""
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
_RUN_FIELDS = RunRow.__slots__


def _run_row(row: Mapping[str, Any], verification: Mapping[str, Any] | None) -> RunRow:
    computed = {
        "rate": mean_of(row["successes"], row["scored"]),
        "goals_gained": mean_of(row["gained_sum"], row["gained_n"]),
        "goals_met": mean_of(row["met_sum"], row["scored"]),
        "tokens": row["input_tokens"] + row["output_tokens"],
        "cost_usd": row["cost_usd"] if row["calls"] else None,
        "changed": moment(row["changed_ns"]),
        "verified": _verified(row["digest"], verification).value,
        "verification": verification
        and VerificationRow(**{name: verification[name] for name in VerificationRow.__slots__}),
    }
    values = exact({**row, **computed})
    return RunRow(**{name: values[name] for name in _RUN_FIELDS})


def _verified(digest: str, verification: Mapping[str, Any] | None) -> Verified:
    if verification is None:
        return Verified.NEVER
    if verification["digest"] != digest:
        return Verified.CHANGED
    return Verified.PASSED if verification["passed"] else Verified.FAILED


def _task_row(row: Mapping[str, Any]) -> TaskRow:
    # PostgreSQL adds up whole numbers as decimals.
    whole = {name: int(row[name]) for name in ("scored", "successes")}
    number = {name: float(row[name]) for name in ("rate", "steps")}
    return TaskRow(**{**row, **whole, **number})


def _group_row(name: str, rows: Sequence[Any]) -> GroupRow:
    successes = sum(bool(row.success) for row in rows)
    low, high = interval_of([(row.success, row.cluster, row.task_id) for row in rows])
    gained = [row.goals_gained for row in rows if row.goals_gained is not None]
    return GroupRow(
        name=name,
        scored=len(rows),
        successes=successes,
        rate=successes / len(rows),
        low=low,
        high=high,
        goals_gained=mean_of(sum(gained), len(gained)),
        steps=sum(row.steps for row in rows),
    )
