"""A whole sweep, from the plan's file to the leaderboard, for the command line and for Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from env_service.results.report.content import Document
from env_service.results.report.leaderboard import Played, leaderboard_document
from env_service.results.report.report_files import FORMATS, PASTED, write_report
from env_service.results.run_reader import read_run
from env_service.sweep.expand import choose, expand
from env_service.sweep.plan import Limits, Plan, RunOptionTable, read_plan
from env_service.sweep.plan_text import PlanError
from env_service.sweep.schedule import Job, Progress, Scheduler, make_jobs
from env_service.sweep.settle import Settled, settle


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """What a user asks for: the file of a plan, and what to play of it.

    ``out`` replaces the plan's folder of runs. ``only`` are names of agents, suites or runs, or
    shell patterns; empty: all. ``shard`` is a part and the number of parts. ``track`` names a
    tracker that gets every run; empty: those that the plan names.
    """

    plan: Path
    out: Path | None = None
    only: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)
    track: str = ""
    signing_key: Path | None = None


@dataclass(frozen=True, slots=True)
class PreparedSweep:
    """A plan whose runs can all be played. ``settled`` has those that were chosen, ``limits`` the
    number of runs that fit on this machine."""

    request: SweepRequest
    plan: Plan
    settled: Settled
    limits: Limits
    table: RunOptionTable

    def scheduler(self, progress: Progress) -> Scheduler:
        """What plays the runs. Creates the folder of runs."""
        self.plan.out.mkdir(parents=True, exist_ok=True)
        jobs = make_jobs(self.settled.runs, self.table.words)
        for job in jobs if self.request.track else ():
            job.words.append(f"--track={self.request.track}")
        return Scheduler(jobs, self.limits, self.plan.out, progress, self.request.signing_key)


def prepare(request: SweepRequest, table: RunOptionTable) -> PreparedSweep:
    """Reads and checks a plan, and starts nothing.

    Raises PlanError with all problems, UnknownNameError for a name in ``only``, and OSError.
    """
    plan, problems = read_plan(request.plan, table)
    if request.out is not None:
        plan = replace(plan, out=request.out)
    entries, more = expand(plan, table)
    settled = settle(plan, entries, table)
    if problems := [*problems, *more, *settled.problems]:
        raise PlanError(request.plan, problems)
    wanted = {entry.id for entry in choose(entries, request.only, request.shard)}
    runs = tuple(run for run in settled.runs if run.entry.id in wanted)
    limits = plan.limits if plan.limits.runs else replace(plan.limits, runs=_cores())
    return PreparedSweep(request, plan, replace(settled, runs=runs), limits, table)


def _cores() -> int:
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return here or 1


def write_leaderboard(plan: Plan, jobs: Sequence[Job]) -> tuple[Document | None, list[Path]]:
    """The table of all runs that have a scored episode, and its files; None without any."""
    played = []
    for job in jobs:
        if job.folder is not None and job.done:
            run = read_run(job.folder)
            played.append(Played(job.run.entry.agent, job.run.entry.suite, run))
    if not played:
        return None, []
    document = leaderboard_document(played, plan.baseline)
    folder = plan.out / f"{plan.path.stem}-leaderboard"
    return document, write_report(document, folder, (*FORMATS, *PASTED))
