"""Writes the rows of one run: what a sync found, and the sums over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from env_service.domain.usage import Usage
from env_service.index import schema
from env_service.index.beside import AddedScores
from env_service.index.journals import JOURNALS, FileState
from env_service.index.rows import NO_MANIFEST, Row, read_usage, usage_row
from env_service.results.run_layout import MANIFEST
from env_service.results.statistics import rate_interval


class RunStatus(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """A process of this machine holds its folder."""
    COMPLETE = "complete"
    """Every planned episode was scored."""
    STOPPED = "stopped"
    """Something is unplayed or unscored, and nothing plays it."""
    UNREADABLE = "unreadable"
    """A file of it cannot be read; the index has what could be read."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the index holds about a run; ``key`` is its id and revision."""

    key: tuple[int, int]
    run_id: str
    status: str
    problem: str
    files: Mapping[str, FileState]


class RacedError(Exception):
    """Another process has written the run's rows since they were read."""


@dataclass(slots=True)
class Found:
    """What was read of a run and is not written yet. ``anew``: all rows of before go.

    ``episodes`` has a row of ``episodes`` each with its rows of the other tables; ``more`` says
    that there is more to read. ``scores``, ``lost_agents`` and ``times`` replace all of before, and
    are None if they did not change. ``digest`` is as in the table of runs.
    """

    anew: bool
    status: str
    manifest: Row | None = None
    files: dict[str, FileState] = field(default_factory=dict)
    episodes: list[tuple[Row, dict[str, list[Row]]]] = field(default_factory=list)
    voids: list[Row] = field(default_factory=list)
    uncounted: list[Row] = field(default_factory=list)
    problem: str = ""
    more: bool = False
    scores: AddedScores | None = None
    lost_agents: list[Row] | None = None
    times: list[Row] | None = None
    digest: str = ""


class RunWriter:
    """Writes the rows of one run in a transaction."""

    def __init__(self, connection: Connection, root: str, name: str) -> None:
        self._connection, self._root, self._name = connection, root, name

    def store(self, known: Known | None, found: Found) -> Known:
        """Raises RacedError if the rows are not those of ``known``."""
        runs = schema.RUNS
        wanted = select(runs).where(runs.c.root == self._root, runs.c.path == self._name)
        found_row = self._connection.execute(wanted.with_for_update()).mappings().one_or_none()
        row = None if found_row is None else dict(found_row)
        if (row and (row["id"], row["revision"])) != (known and known.key):
            raise RacedError
        revision = (row["revision"] if row else 0) + 1
        total = _Totals.of(None if found.anew else row)
        if row is not None and found.anew:
            self._connection.execute(delete(runs).where(runs.c.id == row["id"]))
            row = None
        base = {"root": self._root, "path": self._name, "revision": revision}
        key = self._insert_run(base, found) if row is None else int(row["id"])
        self._insert_records(key, found)
        self._insert_episodes(key, found, total)
        self._replace_files(key, found.files)
        columns = total.columns() | self._counted(key, found) | self._beside(key, found)
        status = found.status
        decided = found.manifest or row or NO_MANIFEST
        planned = decided["planned"]
        if status == RunStatus.STOPPED and total.scored == planned:
            status = RunStatus.COMPLETE.value
        columns |= {"status": status, "problem": found.problem, "revision": revision}
        states = (found.files.get(name, FileState()) for name in (MANIFEST, *JOURNALS))
        columns["changed_ns"] = max(state.mtime_ns for state in states)
        columns |= found.manifest or {}
        self._connection.execute(update(runs).where(runs.c.id == key).values(columns))
        return Known((key, revision), decided["run_id"], status, found.problem, found.files)

    def _insert_run(self, base: Row, found: Found) -> int:
        columns = base | (found.manifest or NO_MANIFEST) | _Totals.of(None).columns() | _UNCOUNTED
        columns |= {"status": found.status, "problem": found.problem, "changed_ns": 0}
        try:
            done = self._connection.execute(insert(schema.RUNS).values(columns))
        except IntegrityError as error:
            raise RacedError from error
        key = done.inserted_primary_key
        if key is None:
            raise AssertionError("unreachable: the database numbers the runs")
        return int(key[0])

    def _insert_records(self, key: int, found: Found) -> None:
        self._insert("voids", key, found.voids)
        self._insert("uncounted", key, found.uncounted)

    def _insert_episodes(self, key: int, found: Found, total: _Totals) -> None:
        rows = [row for row, _ in found.episodes]
        tasks = self._read_tasks(key, {row["task_id"] for row in rows})
        self._insert("episodes", key, rows)
        for table in ("episode_labels", "episode_metrics", "goal_conditions", "steps"):
            below = [
                {"episode": row["seq"], **each}
                for row, others in found.episodes
                for each in others[table]
            ]
            self._insert(table, key, below)
        before = set(tasks)
        for row in rows:
            total.add(row)
            _add_to_task(tasks, row)
        new = [row for name, row in tasks.items() if name not in before]
        self._insert("tasks", key, new)
        for name in before:
            changed = update(schema.TASKS).where(
                schema.TASKS.c.run == key, schema.TASKS.c.task_id == name
            )
            self._connection.execute(changed.values(tasks[name]))

    def _read_tasks(self, key: int, names: set[str]) -> dict[str, Row]:
        """The rows of these tasks that there are."""
        table = schema.TASKS
        columns = [column for column in table.c if column.name != "run"]
        found: dict[str, Row] = {}
        for few in few_of(names):
            wanted = select(*columns).where(table.c.run == key, table.c.task_id.in_(few))
            for row in self._connection.execute(wanted).mappings():
                found[row["task_id"]] = dict(row)
        return found

    def _insert(self, table: str, key: int, rows: Iterable[Row]) -> None:
        given = [{"run": key, **row} for row in rows]
        if given:
            self._connection.execute(insert(schema.METADATA.tables[table]), given)

    def _replace_files(self, key: int, files: Mapping[str, FileState]) -> None:
        self._replace("files", key, [{"name": n, **s._asdict()} for n, s in files.items()])

    def _beside(self, key: int, found: Found) -> Row:
        """Replaces what is not a record of a journal, as far as it changed."""
        columns: Row = {"digest": found.digest}
        if found.scores is not None:
            self._replace("added_scores", key, found.scores.files)
            self._replace("added_metrics", key, found.scores.metrics)
        if found.times is not None:
            self._replace("episode_times", key, found.times)
        if found.lost_agents is not None:
            self._replace("lost_agents", key, found.lost_agents)
            columns["lost_agents"] = max((row["seq"] for row in found.lost_agents), default=0)
        return columns

    def _replace(self, table: str, key: int, rows: Iterable[Row]) -> None:
        rows_of_run = schema.METADATA.tables[table]
        self._connection.execute(delete(rows_of_run).where(rows_of_run.c.run == key))
        self._insert(table, key, rows)

    def _counted(self, key: int, found: Found) -> Row:
        """The columns that are computed from the run's rows; only those that can have changed."""
        columns: Row = {}
        if found.episodes:
            columns |= self._interval(key)
        given_up = any(row["fault"] is not None for row, _ in found.episodes)
        if found.voids or found.uncounted or given_up:
            columns |= self._uncounted(key)
        return columns

    def _interval(self, key: int) -> Row:
        table = schema.EPISODES
        wanted = select(table.c.success, table.c.cluster, table.c.task_id)
        wanted = wanted.where(table.c.run == key, table.c.fault.is_(None)).order_by(table.c.seq)
        scored = self._connection.execute(wanted).all()
        if not scored:
            return {"low": None, "high": None}
        successes, clusters, tasks = zip(*scored, strict=True)
        low, high = rate_interval([float(each) for each in successes], clusters, tasks)
        return {"low": float(low), "high": float(high)}

    def _uncounted(self, key: int) -> Row:
        """What was used by whatever was not scored, added up in the order of the summary."""
        usage = Usage()
        counts = {}
        for name in ("episodes", "voids", "uncounted"):
            table = schema.METADATA.tables[name]
            wanted = select(table).where(table.c.run == key).order_by(table.c.seq)
            if name == "episodes":
                wanted = wanted.where(table.c.fault.is_not(None))
            rows = self._connection.execute(wanted).mappings().all()
            counts[name] = len(rows)
            for row in rows:
                usage += read_usage(dict(row))
        return {
            "voids": counts["voids"],
            "uncounted": counts["uncounted"],
            "uncounted_tokens": usage.tokens,
            "uncounted_cost_usd": usage.cost_usd,
        }


_UNCOUNTED: Row = {
    **dict.fromkeys(("voids", "uncounted", "uncounted_tokens", "lost_agents"), 0),
    "digest": "",
    "uncounted_cost_usd": 0.0,
    "low": None,
    "high": None,
}


@dataclass(slots=True)
class _Totals:
    """The sums over a run's episodes, added up in the journal's order: a sum of floating-point
    numbers depends on it."""

    final: int = 0
    scored: int = 0
    successes: int = 0
    gained_n: int = 0
    gained_sum: float = 0.0
    met_sum: float = 0.0
    steps: int = 0
    agent_seconds: float = 0.0
    environment_seconds: float = 0.0
    without_steps: int = 0
    usage: Usage = field(default_factory=Usage)

    @staticmethod
    def of(row: Mapping[str, Any] | None) -> _Totals:
        """The sums so far, from the run's row."""
        if row is None:
            return _Totals()
        names = [name for name in _Totals.__slots__ if name != "usage"]
        return _Totals(**{name: row[name] for name in names}, usage=read_usage(row))

    def add(self, row: Row) -> None:
        """Adds a row of ``episodes``."""
        self.final += 1
        self.without_steps += bool(row["steps_problem"])
        if row["fault"] is not None:
            return
        self.scored += 1
        self.successes += row["success"]
        self.met_sum += row["goals_met"]
        if row["goals_gained"] is not None:
            self.gained_n += 1
            self.gained_sum += row["goals_gained"]
        self.steps += row["steps"]
        self.agent_seconds += row["agent_seconds"]
        self.environment_seconds += row["environment_seconds"]
        self.usage += read_usage(row)

    def columns(self) -> Row:
        """The columns of ``runs``."""
        names = [name for name in _Totals.__slots__ if name != "usage"]
        return {name: getattr(self, name) for name in names} | usage_row(self.usage)


def _add_to_task(tasks: dict[str, Row], row: Row) -> None:
    task = tasks.setdefault(
        row["task_id"],
        {
            **{name: row[name] for name in ("task_id", "group", "cluster", "instruction")},
            **dict.fromkeys(("scored", "successes", "steps", "gained_n"), 0),
            "gained_sum": 0.0,
        },
    )
    if row["fault"] is not None:
        return
    task["scored"] += 1
    task["successes"] += row["success"]
    task["steps"] += row["steps"]
    if row["goals_gained"] is not None:
        task["gained_n"] += 1
        task["gained_sum"] += row["goals_gained"]


def few_of(names: Iterable[str]) -> Iterator[list[str]]:
    """The names in lists of 500: databases bound how many parameters a query has."""
    ordered = sorted(names)
    return (ordered[start : start + 500] for start in range(0, len(ordered), 500))
