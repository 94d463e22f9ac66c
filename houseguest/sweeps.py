"""Sweeps: the same as ``houseguest sweep``, from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

# The keys of a plan are the options of the command `houseguest run`.
from env_service.cli.sweep_options import SweepOptions
from env_service.domain.text import counted
from env_service.exports.formats import check_tracker
from env_service.results.report.content import Document
from env_service.sweep.plan import Plan
from env_service.sweep.progress import sweep_progress
from env_service.sweep.schedule import Job, Progress, Scheduler, Status
from env_service.sweep.sweep import PreparedSweep, SweepRequest, prepare, write_leaderboard
from houseguest.background import Background
from houseguest.errors import UsageError, translated
from houseguest.frames import Column, Kind, Table, Tabular
from houseguest.html import table_html
from houseguest.notebook_progress import SweepBar, in_notebook
from houseguest.results import Report, ReportTable
from houseguest.runs import Run, Runs


class SweepSettings(TypedDict, total=False):
    """The optional arguments of ``sweep``, with their defaults.

    ``out`` (parent folder of the run folders; the plan's), ``only`` (agents, suites or runs to
    play, by name or shell pattern; all), ``shard`` (a part and the number of parts, for several
    machines; ``(1, 1)``), ``signing_key`` (a PEM file; your own key), ``track`` ("wandb" or
    "mlflow" gets every run while it plays; the plan's), ``progress`` (False shows messages only;
    True).
    """

    out: str | PathLike[str] | None
    only: Sequence[str]
    shard: tuple[int, int]
    signing_key: str | PathLike[str] | None
    track: str | None
    progress: bool


def sweep(plan: str | PathLike[str], **settings: Unpack[SweepSettings]) -> Sweep:
    """Plays every run of a plan, and compares the results in one table.

        hg.sweep("plan.toml").tables["success"].to_pandas()

    ``plan`` is a TOML or YAML file as for ``houseguest sweep``; ``houseguest init`` writes one with
    comments. ``SweepSettings`` lists the other arguments. Each run plays in a process of its own
    and is an ordinary run folder. The same call, or the command, resumes the sweep and never plays
    a finished episode again. Ctrl-C stops all runs, keeps every finished episode, and raises
    KeyboardInterrupt; press it again to kill the runs.

    Works in notebooks too. Warns if some episodes have no score. Raises UsageError with all
    problems of the plan and their lines before anything starts.
    """
    return _opened(plan, settings).start().wait()


async def sweep_async(plan: str | PathLike[str], **settings: Unpack[SweepSettings]) -> Sweep:
    """As ``sweep``, for a program with an event loop. Cancelling it stops the runs in order."""
    playing = await asyncio.to_thread(_opened, plan, settings)
    return await playing.start().wait_async()


class Sweep(Tabular):
    """A sweep that was played. Its frame has a row for each run of the plan.

    The columns are in ``SWEEP_COLUMNS``.
    """

    def __init__(
        self, plan: Plan, jobs: Sequence[Job], document: Document | None, files: Sequence[Path]
    ) -> None:
        self.path = plan.path
        """The plan's file."""
        self.leaderboard = None if document is None else Report(document, tuple(files))
        """The tables of all agents and suites, and their files; None without a scored episode."""
        self._jobs = tuple(jobs)

    @property
    def runs(self) -> Runs:
        """The runs that have been started, in the plan's order."""
        return Runs(Run(job.folder) for job in self._jobs if job.folder is not None)

    @property
    def tables(self) -> dict[str, ReportTable]:
        """The leaderboard's tables: ``success``, ``differences`` if the plan has a baseline, and
        ``cost``. Empty without a scored episode."""
        return {} if self.leaderboard is None else self.leaderboard.tables

    @property
    def complete(self) -> bool:
        """Whether every episode of every run has a score."""
        return all(job.status is Status.COMPLETE for job in self._jobs)

    def table(self) -> Table:
        """A row for each run of the plan."""
        rows = [{**job.to_json(), "run": None if job.folder is None else job.folder.name}
                for job in self._jobs]  # fmt: skip
        names = [column.name for column in SWEEP_COLUMNS]
        return Table(SWEEP_COLUMNS, {name: [row[name] for row in rows] for name in names})

    def __len__(self) -> int:
        return len(self._jobs)

    def __repr__(self) -> str:
        lines = [f"  {job.name}: {job.status.value}" for job in self._jobs]
        return "\n".join([f"<Sweep {str(self.path)!r}: {counted(len(self), 'run')}>", *lines])

    def __str__(self) -> str:
        return repr(self) if self.leaderboard is None else str(self.leaderboard)

    def _repr_html_(self) -> str:
        if self.leaderboard is not None and self.complete:
            return self.leaderboard._repr_html_()
        rows = [[job.name, job.status.value, f"{job.done} of {job.run.planned}", job.problem]
                for job in self._jobs]  # fmt: skip
        head = ["run", "status", "episodes", "problem"]
        shown = "" if self.leaderboard is None else self.leaderboard._repr_html_()
        return table_html(head, rows, len(rows)) + shown


SWEEP_COLUMNS = (
    Column("id", Kind.TEXT, "The run's name in the plan."),
    Column("agent", Kind.TEXT, "The name of its row in the leaderboard."),
    Column("suite", Kind.TEXT, "The name of its column."),
    Column("status", Kind.TEXT, "complete, unscored, stopped, budget or failed."),
    Column("episodes", Kind.WHOLE, "Planned episodes."),
    Column("done", Kind.WHOLE, "Scored episodes."),
    Column("problem", Kind.TEXT, "Why the run is not complete; else empty."),
    Column("run", Kind.TEXT, "The run folder's name; missing if the run was not started."),
    Column("folder", Kind.TEXT, "The run's folder; likewise."),
)
"""The columns of a table of a sweep's runs."""


# --- Plays


def _opened(plan: str | PathLike[str], settings: SweepSettings) -> _Playing:
    if unknown := sorted(set(settings) - set(SweepSettings.__annotations__)):
        known = ", ".join(SweepSettings.__annotations__)
        raise UsageError(f"sweep has no argument {unknown[0]!r}. Arguments: {known}.")
    if not isinstance(plan, str | PathLike) or not Path(plan).is_file():
        raise UsageError(
            f"plan is {plan!r:.80}, and not the path of a TOML or YAML file. `houseguest init`"
            " writes a plan with comments."
        )
    only, shard = settings.get("only", ()), settings.get("shard", (1, 1))
    if isinstance(only, str):
        raise UsageError('only must be a list of names or patterns, such as ["random"].')
    if not _is_shard(shard):
        raise UsageError(f"shard must be a part and the number of parts, as (1, 4), not {shard!r}.")
    out, key = settings.get("out"), settings.get("signing_key")
    with translated():
        if (tracker := settings.get("track")) is not None:
            check_tracker(tracker)
        request = SweepRequest(
            plan=Path(plan),
            out=None if out is None else Path(out),
            only=tuple(only),
            shard=shard,
            track=settings.get("track") or "",
            signing_key=None if key is None else Path(key),
        )
        prepared = prepare(request, SweepOptions())
    return _Playing(prepared, shown=settings.get("progress", True))


def _is_shard(given: Any) -> bool:
    whole = isinstance(given, tuple) and [type(each) for each in given] == [int, int]
    return whole and 1 <= given[0] <= given[1]


def _progress(*, shown: bool) -> AbstractContextManager[Progress]:
    # A notebook shows what the cell's own thread opens.
    return nullcontext(SweepBar()) if shown and in_notebook() else sweep_progress(quiet=not shown)


class _Playing:
    """A sweep that can be played on any thread."""

    def __init__(self, prepared: PreparedSweep, *, shown: bool) -> None:
        self._plan, self._showing = prepared.plan, ExitStack()
        progress = self._showing.enter_context(_progress(shown=shown))
        with translated():
            self.scheduler = prepared.scheduler(progress)
        progress.say(self.scheduler.beginning())

    def start(self) -> Background[Sweep]:
        """Plays it on a thread of its own."""
        return Background(self._play, self.scheduler.stop, "houseguest-sweep")

    def _play(self) -> tuple[Sweep, str]:
        scheduler = self.scheduler
        with self._showing, translated():
            scheduler.play()
        with translated():
            document, files = write_leaderboard(self._plan, scheduler.jobs)
        return Sweep(self._plan, scheduler.jobs, document, files), _problem(scheduler)


def _problem(scheduler: Scheduler) -> str:
    left = [job for job in scheduler.jobs if job.status is not Status.COMPLETE]
    if not left or scheduler.interrupted:
        return ""
    listed = "; ".join(f"{job.name}: {job.problem or job.status.value}" for job in left[:5])
    more = f"; and {len(left) - 5} more" if len(left) > 5 else ""
    return (
        f"{len(left)} of {counted(len(scheduler.jobs), 'run')} are not complete: {listed}{more}."
        " The same call tries again."
    )
