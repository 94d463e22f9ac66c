"""The recorded episodes of some runs, and their models' usage, as tables for files and frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum

from env_service.domain.usage import Usage
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.report.runs import agent_name
from env_service.results.run_reader import RunContents

Value = str | bool | int | float | None


class Kind(Enum):
    """What the values of a column are. Any of them may be missing."""

    TEXT = "text"
    FLAG = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    PICTURES = "a list of pictures, each with its bytes and a file name"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; ``meaning`` explains it to a reader."""

    name: str
    kind: Kind
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and the values of each: lists of equal length, by the column's name."""

    columns: tuple[Column, ...]
    values: Mapping[str, list[Value]]


@dataclass(frozen=True, slots=True)
class _OfRun:
    column: Column
    read: Callable[[RunContents], Value]


@dataclass(frozen=True, slots=True)
class _OfEpisode:
    column: Column
    read: Callable[[EpisodeRecord], Value]


def _run(name: str, read: Callable[[RunContents], Value], meaning: str) -> _OfRun:
    return _OfRun(Column(name, Kind.TEXT, meaning), read)


def _episode(
    name: str, kind: Kind, read: Callable[[EpisodeRecord], Value], meaning: str
) -> _OfEpisode:
    return _OfEpisode(Column(name, kind, meaning), read)


def _open_at_start(record: EpisodeRecord) -> int | None:
    held = [each.held_at_start for each in record.goal_conditions]
    return None if None in held else held.count(False)


_RUN = (
    _run("run", lambda run: run.path.name, "Name of the run's folder."),
    _run("run_id", lambda run: run.manifest.run_id, "The run's id."),
    _run("suite", lambda run: run.manifest.suite, "Suite."),
    _run("suite_version", lambda run: run.manifest.suite_version, "Version of the suite's rules."),
    _run("task_set", lambda run: run.manifest.task_set, "Task set of the suite."),
    _run("world", lambda run: run.manifest.world, "The simulator."),
    _run("agent", lambda run: agent_name(run.manifest), "The agent, with its models."),
)
_EPISODE = (
    _episode("episode_id", Kind.TEXT, lambda each: each.episode_id, "The episode's id."),
    _episode("task_id", Kind.TEXT, lambda each: each.task_id, "The task's id."),
    _episode("group", Kind.TEXT, lambda each: each.group, "The task's group."),
    _episode("cluster", Kind.TEXT, lambda each: each.cluster, "Tasks of a cluster share a scene."),
    _episode("repeat", Kind.WHOLE, lambda each: each.repeat, "Repeat of the task, from 0."),
    _episode("seed", Kind.WHOLE, lambda each: each.seed, "Seed of the episode."),
    _episode("unscored", Kind.TEXT, lambda each: each.fault, "Why the episode has no score."),
    _episode(
        "success",
        Kind.FLAG,
        lambda each: None if each.fault else each.success,
        "Whether the agent reached the goal; missing if unscored.",
    ),
    _episode("failure", Kind.TEXT, lambda each: each.failure, "Class of the failure."),
    _episode(
        "goal_conditions_gained",
        Kind.NUMBER,
        lambda each: each.goals_gained,
        "Goal conditions gained, -1 to 1.",
    ),
    _episode(
        "goal_conditions_met",
        Kind.WHOLE,
        lambda each: sum(goal.met for goal in each.goal_conditions),
        "Goal conditions that hold at the end.",
    ),
    _episode(
        "goal_conditions", Kind.WHOLE, lambda each: len(each.goal_conditions), "Goal conditions."
    ),
    _episode(
        "goal_conditions_open_at_start",
        Kind.WHOLE,
        _open_at_start,
        "Goal conditions that did not hold at the start.",
    ),
    _episode("steps", Kind.WHOLE, lambda each: each.steps, "Executed steps."),
    _episode("agent_seconds", Kind.NUMBER, lambda each: each.agent_seconds, "The agent's time."),
    _episode(
        "environment_seconds",
        Kind.NUMBER,
        lambda each: each.environment_seconds,
        "The environment's time.",
    ),
    _episode("session", Kind.TEXT, lambda each: each.session, "The session's id."),
    _episode(
        "declared_agent",
        Kind.TEXT,
        lambda each: each.guest,
        "The name that the agent declared itself.",
    ),
    _episode("exchanges", Kind.WHOLE, lambda each: each.exchanges, "Lines of the transcript."),
    _episode(
        "transcript_head", Kind.TEXT, lambda each: each.transcript_head, "Hash of the transcript."
    ),
)

EPISODE_COLUMNS = tuple(each.column for each in (*_RUN, *_EPISODE))
"""The columns that every table of episodes has."""

_USAGE = {
    f"usage {each.name}": (each.name, Kind.WHOLE if each.type == "int" else Kind.NUMBER)
    for each in fields(Usage)
}
_PARTS = ("setting", "usage", "label", "metric")
"""The prefixes of the columns after the fixed ones, in order."""
_KINDS = {"setting": Kind.TEXT, "label": Kind.TEXT, "metric": Kind.NUMBER}


def episode_table(runs: Iterable[tuple[RunContents, Sequence[EpisodeRecord]]]) -> Table:
    """A row for each of these episodes of runs, in the given order.

    The columns are EPISODE_COLUMNS, then ``setting NAME``, ``usage NAME``, ``label NAME`` and
    ``metric NAME``, sorted, for each name that any episode has. Missing values are None.
    """
    values: dict[str, list[Value]] = {column.name: [] for column in EPISODE_COLUMNS}
    named: dict[str, dict[int, Value]] = {}
    count = 0
    for run, records in runs:
        for of_run in _RUN:
            values[of_run.column.name] += [of_run.read(run)] * len(records)
        for of_episode in _EPISODE:
            values[of_episode.column.name].extend(map(of_episode.read, records))
        settings = {f"setting {name}": value for name, value in run.manifest.condition.items()}
        for record in records:
            for name, value in (*settings.items(), *_named(record)):
                named.setdefault(name, {})[count] = value
            count += 1
    others = [_named_column(name) for name in sorted(named, key=_place)]
    for column in others:
        values[column.name] = list(map(named[column.name].get, range(count)))
    return Table((*EPISODE_COLUMNS, *others), values)


def named_columns(
    runs: Iterable[tuple[RunContents, Iterable[EpisodeRecord]]],
) -> tuple[Column, ...]:
    """The columns after EPISODE_COLUMNS that ``episode_table`` gives these episodes."""
    names: set[str] = set()
    for run, records in runs:
        names.update(f"setting {name}" for name in run.manifest.condition)
        for record in records:
            names.update(f"label {name}" for name in record.labels)
            names.update(f"metric {name}" for name in record.metrics)
            names.update(_USAGE if record.usage else ())
    return tuple(map(_named_column, sorted(names, key=_place)))


def _named(record: EpisodeRecord) -> list[tuple[str, Value]]:
    usage = record.usage
    return [
        *([(name, getattr(usage, field)) for name, (field, _) in _USAGE.items()] if usage else ()),
        *((f"label {name}", value) for name, value in record.labels.items()),
        *((f"metric {name}", value) for name, value in record.metrics.items()),
    ]


def _named_column(name: str) -> Column:
    return Column(name, _USAGE[name][1] if name in _USAGE else _KINDS[name.partition(" ")[0]])


def _place(name: str) -> tuple[int, str]:
    return _PARTS.index(name.partition(" ")[0]), name


# --- Usage: a row for each attempt, also for those that do not count

USAGE_COLUMNS = (
    *(each.column for each in _RUN),
    Column("attempt", Kind.TEXT, "scored, unscored, voided, withdrawn, closed or killed."),
    Column("episode_id", Kind.TEXT, "The episode's id."),
    Column("task_id", Kind.TEXT, "The task's id."),
    Column("repeat", Kind.WHOLE, "Repeat of the task, from 0."),
    Column("declared_agent", Kind.TEXT, "The name that the agent declared itself."),
    Column("calls", Kind.WHOLE, "Calls of models, by the agent's own count."),
    Column("input_tokens", Kind.WHOLE, "Tokens that models received, cached ones included."),
    Column("output_tokens", Kind.WHOLE, "Tokens that models sent, reasoning included."),
    Column("cached_input_tokens", Kind.WHOLE, "Input tokens from the server's cache."),
    Column("reasoning_tokens", Kind.WHOLE, "Output tokens that were reasoning."),
    Column("images", Kind.WHOLE, "Pictures that models received."),
    Column("seconds", Kind.NUMBER, "Latency of the calls."),
    Column("cost_usd", Kind.NUMBER, "US dollars, by the agent's own price list."),
)
"""The columns of a table of usage. The last ones are the fields of ``Usage``."""


def usage_rows(
    run: RunContents, records: Iterable[EpisodeRecord], *, lost: bool
) -> Iterator[tuple[Value, ...]]:
    """The values of USAGE_COLUMNS for these episodes and, if ``lost``, for the run's attempts that
    do not count: the sum of all is what the run used."""
    of_run = tuple(each.read(run) for each in _RUN)
    for record in records:
        yield (*of_run, "unscored" if record.fault else "scored", *_used(record))
    if lost:
        for void in run.voids:
            yield (*of_run, "voided", *_used(void))
        for uncounted in run.uncounted:
            yield (*of_run, uncounted.cause.value, *_used(uncounted))


def _used(record: EpisodeRecord | VoidRecord | UncountedRecord) -> tuple[Value, ...]:
    attempt = (record.episode_id, record.task_id, record.repeat, record.guest)
    return (*attempt, *(getattr(record.usage, each.name) for each in fields(Usage)))
