"""Runs, read lazily from their folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import overload

from env_service.results.manifest import Manifest, read_manifest
from env_service.results.report.runs import agent_name
from env_service.results.run_layout import MANIFEST
from env_service.results.run_reader import RunContents, find_runs, is_run, read_run
from env_service.results.summary import Summary
from houseguest.episodes import Episode, Episodes
from houseguest.errors import UsageError, translated
from houseguest.frames import Column, Kind, Table, Tabular, Value
from houseguest.html import rate_text, runs_html

Place = str | PathLike[str]


def load(*places: Place) -> Runs:
    """The runs in some folders.

    Each place is a run's folder, a folder of runs, or a glob of either::

        hg.load("runs")
        hg.load("runs/babyai-*", "old/runs")

    Nothing but the folders' names is read now; a run reads its files when you first ask for their
    contents, and keeps what it has read. Call ``load`` again to see what a run in progress has
    added. Runs keep the given order, those of one folder are sorted by name, and each run occurs
    once.

    Raises UsageError for a place with no run.
    """
    if not places:
        raise UsageError('load needs a folder of runs, such as hg.load("runs").')
    found: dict[Path, Path] = {}
    with translated():
        for place in places:
            for folder in _folders(place):
                found.setdefault(folder.resolve(), folder)
    return Runs(map(Run, found.values()))


def _folders(place: Place) -> list[Path]:
    text = str(Path(place).expanduser())
    paths = [Path(text)]
    if has_magic(text) and not paths[0].exists():
        paths = [Path(each) for each in sorted(glob(text)) if Path(each).is_dir()]  # noqa: PTH207 - absolute patterns too
    found = [
        run
        for path in paths
        if path.is_dir()
        for run in ([path] if is_run(path) else find_runs(path))
    ]
    if not found:
        what = "matches" if has_magic(text) else "is"
        raise UsageError(
            f"{text} {what} no run and no folder of runs. A run's folder contains {MANIFEST};"
            " `houseguest run --out FOLDER` and hg.evaluate(out=FOLDER) write runs below FOLDER."
        )
    return found


class Run(Tabular):
    """One run: an agent on a suite's tasks. Its frame has a row for each episode.

    Everything is read when it is first asked for, and nothing is verified; see ``hg.verify``.
    Reading raises HouseguestError for a file that is missing or was changed.
    """

    def __init__(self, folder: Place) -> None:
        self.path = Path(folder)
        """The run's folder."""

    @cached_property
    def manifest(self) -> Manifest:
        """Everything that could change a score: tasks, settings, versions, hardware, the agent."""
        with translated():
            return read_manifest(self.path)

    @cached_property
    def contents(self) -> RunContents:
        """The manifest and all records, as the service's own reports read them."""
        with translated():
            return read_run(self.path)

    @cached_property
    def summary(self) -> Summary:
        """Rates, failures and sums, computed from the episodes."""
        return self.contents.summary

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return self.path.name

    @property
    def id(self) -> str:
        """The run's id, such as ``run-0f3a…``."""
        return self.manifest.run_id

    @property
    def suite(self) -> str:
        """The suite's name, or its ``module:class``."""
        return self.manifest.suite

    @property
    def task_set(self) -> str:
        """The task set of the suite."""
        return self.manifest.task_set

    @property
    def world(self) -> str:
        """The simulator that the tasks ran in."""
        return self.manifest.world

    @property
    def agent(self) -> str:
        """The agent as it was named when the run started."""
        return self.manifest.agent

    @property
    def model(self) -> str:
        """The models that the agent declared, joined by commas; empty for none."""
        models = (str(each["model"]) for each in self.manifest.declared if each.get("model"))
        return ", ".join(dict.fromkeys(models))

    @property
    def condition(self) -> Mapping[str, str]:
        """The value of each setting."""
        return self.manifest.condition

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.manifest.seed

    @property
    def repeats(self) -> int:
        """How often each task is played."""
        return self.manifest.repeats

    @property
    def isolated(self) -> bool:
        """Whether the agent ran in a sandbox: a container or bubblewrap.

        False for a plain process, for a Python function, and for an agent that somebody else
        started.
        """
        return self.manifest.guest.get("sandbox") in ("docker", "bwrap")

    @property
    def status(self) -> str:
        """``complete`` if every planned episode has a score, else ``incomplete``."""
        return "complete" if self.summary.complete else "incomplete"

    @property
    def success_rate(self) -> float | None:
        """The share of scored episodes that succeeded, 0 to 1; None without a scored episode."""
        return self.summary.overall.rate

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of ``success_rate``; None without a scored episode."""
        overall = self.summary.overall
        return None if overall.low is None or overall.high is None else (overall.low, overall.high)

    @property
    def episodes(self) -> Episodes:
        """Every recorded episode, also those that the service could not score."""
        return Episodes([(self.contents, self.contents.episodes)])

    def table(self) -> Table:
        """A row for each episode; see ``Episodes``."""
        return self.episodes.table()

    def __len__(self) -> int:
        return len(self.contents.episodes)

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.path.resolve() == other.path.resolve()

    def __hash__(self) -> int:
        return hash(self.path.resolve())

    def __repr__(self) -> str:
        return f"<Run {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        return runs_html(Runs([self]))


class Runs(Tabular, Sequence[Run]):
    """Some runs. Their frame has a row for each run.

    The columns are in ``RUN_COLUMNS``, followed by ``setting NAME`` for each setting of any run.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = tuple(runs)

    @property
    def episodes(self) -> Episodes:
        """Every recorded episode of these runs, run by run."""
        return Episodes([(run.contents, run.contents.episodes) for run in self])

    def filter(self, **wanted: object) -> Runs:
        """The runs whose attributes have these values: ``runs.filter(suite="babyai", seed=1)``.

        Raises UsageError for a name that is not an attribute of a run.
        """
        for name in wanted:
            if name.startswith("_") or not hasattr(Run, name):
                raise UsageError(f"A run has no attribute {name!r} to filter by.")
        return Runs(
            run
            for run in self
            if all(getattr(run, name) == value for name, value in wanted.items())
        )

    def table(self) -> Table:
        """A row for each run."""
        rows = [_row(run) for run in self]
        settings = sorted({name for row in rows for name in row} - {c.name for c in RUN_COLUMNS})
        columns = (*RUN_COLUMNS, *(Column(name, Kind.TEXT) for name in settings))
        return Table(columns, {each.name: [row.get(each.name) for row in rows] for each in columns})

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...

    @overload
    def __getitem__(self, index: slice) -> Runs: ...

    def __getitem__(self, index: int | slice) -> Run | Runs:
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __add__(self, other: Runs) -> Runs:
        return Runs(dict.fromkeys((*self, *other)))

    def __repr__(self) -> str:
        lines = [f"  {run.name}: {rate_text(run)}" for run in self]
        return "\n".join([f"<Runs: {len(self)}>", *lines])

    def _repr_html_(self) -> str:
        return runs_html(self)


RUN_COLUMNS = (
    Column("run", Kind.TEXT, "Name of the run's folder."),
    Column("run_id", Kind.TEXT, "The run's id."),
    Column("path", Kind.TEXT, "The run's folder."),
    Column("created", Kind.TEXT, "When the run started, ISO 8601."),
    Column("suite", Kind.TEXT, "Suite."),
    Column("suite_version", Kind.TEXT, "Version of the suite's rules."),
    Column("task_set", Kind.TEXT, "Task set of the suite."),
    Column("world", Kind.TEXT, "The simulator."),
    Column("agent", Kind.TEXT, "The agent, with its models."),
    Column("model", Kind.TEXT, "The models that the agent declared."),
    Column("seed", Kind.WHOLE, "Seed of the run."),
    Column("repeats", Kind.WHOLE, "How often each task is played."),
    Column("status", Kind.TEXT, "complete or incomplete."),
    Column("planned", Kind.WHOLE, "Planned episodes."),
    Column("scored", Kind.WHOLE, "Scored episodes."),
    Column("successes", Kind.WHOLE, "Episodes that succeeded."),
    Column("success_rate", Kind.NUMBER, "Share of scored episodes that succeeded."),
    Column("success_rate_low", Kind.NUMBER, "Low end of its 95 % interval."),
    Column("success_rate_high", Kind.NUMBER, "High end of its 95 % interval."),
    Column("goal_conditions_gained", Kind.NUMBER, "Mean over scored episodes, -1 to 1."),
    Column("steps_mean", Kind.NUMBER, "Mean number of steps of a scored episode."),
    Column("agent_seconds", Kind.NUMBER, "The agent's time in scored episodes."),
    Column("environment_seconds", Kind.NUMBER, "The environment's time in them."),
    Column("input_tokens", Kind.WHOLE, "Tokens that models received, all episodes."),
    Column("output_tokens", Kind.WHOLE, "Tokens that models sent, all episodes."),
    Column("cost_usd", Kind.NUMBER, "What the models cost by the agent's own count, all episodes."),
)
"""The columns of a table of runs."""


def _row(run: Run) -> dict[str, Value]:
    summary, manifest = run.summary, run.manifest
    usage = summary.usage + summary.uncounted_usage
    of_run: dict[str, Value] = {
        "run": run.name,
        "path": str(run.path),
        "agent": agent_name(manifest),
        "model": run.model,
        "status": run.status,
        "planned": summary.planned,
        "scored": summary.overall.n,
        "successes": summary.overall.successes,
        "success_rate": summary.overall.rate,
        "success_rate_low": summary.overall.low,
        "success_rate_high": summary.overall.high,
        "goal_conditions_gained": summary.overall.goals_gained,
        "steps_mean": summary.steps_mean,
        "agent_seconds": summary.agent_seconds,
        "environment_seconds": summary.environment_seconds,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }
    for name in ("run_id", "created", "suite", "suite_version", "task_set", "world"):
        of_run[name] = getattr(manifest, name)
    settings = {f"setting {name}": value for name, value in manifest.condition.items()}
    return {**of_run, "seed": manifest.seed, "repeats": manifest.repeats, **settings}
