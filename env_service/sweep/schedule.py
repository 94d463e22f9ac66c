"""Plays the runs of a sweep: several at once, within limits and budgets, with retries.

What was played is known from the run folders alone, so that a killed sweep has nothing to repair.
"""

from __future__ import annotations

import random
import shlex
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from env_service.domain.data_node import FormatError
from env_service.domain.text import counted
from env_service.domain.usage import Usage, dollars, usage_text
from env_service.results.run_layout import EPISODES
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signed_journal import CorruptFileError
from env_service.sweep.plan import Limits
from env_service.sweep.player import RunProcess, run_words
from env_service.sweep.servers import ServerWatch
from env_service.sweep.settle import SweepRun

TICK = 0.1
"""Seconds between two looks at the children."""
_COUNT_EVERY = 1.0
"""Seconds between two looks at the number of finished episodes."""
_SPENT_EVERY = 5.0
"""Seconds between two looks at what all runs have spent, if a budget bounds it."""
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 300.0
"""Seconds before the first and the last retries of a run; each wait is twice the one before."""
_BUSY_WAIT = 2.0
"""Seconds until a folder that another process writes is tried again."""
_SAY_AGAIN = 60.0
"""Seconds until the notice about a server that does not answer is repeated."""


class Status(StrEnum):
    """What became of a run in this sweep."""

    WAITING = "waiting"
    PLAYING = "playing"
    COMPLETE = "complete"
    """Every episode has a score."""
    UNSCORED = "unscored"
    """Every episode was played, and the service could not score some."""
    STOPPED = "stopped"
    """Ctrl-C ended it, or the budget of all runs is spent."""
    BUDGET = "budget"
    """Its own budget is spent."""
    FAILED = "failed"
    """It stopped again and again, or it cannot be played."""


OVER = (Status.COMPLETE, Status.UNSCORED, Status.STOPPED, Status.BUDGET, Status.FAILED)


@dataclass(slots=True)
class Job:
    """A run of the sweep and its progress. ``done`` counts final episodes, ``problem`` says why it
    is not complete. ``folder`` is None before it was first started."""

    run: SweepRun
    words: list[str]
    folder: Path | None = None
    status: Status = Status.WAITING
    done: int = 0
    problem: str = ""
    usage: Usage = field(default_factory=Usage)
    tries: int = 0
    not_before: float = 0.0
    process: RunProcess | None = None

    @property
    def name(self) -> str:
        """The entry's id."""
        return self.run.entry.id

    def count(self, out: Path) -> None:
        """Counts the final episodes, without reading them."""
        self.folder = self.folder or self.run.folder(out)
        if self.folder is not None:
            try:
                self.done = (self.folder / EPISODES).read_bytes().count(b"\n")
            except OSError:
                self.done = 0

    def read(self, out: Path) -> RunContents | None:
        """Reads the run's folder, and its progress from there; None if there is none.

        Raises FormatError, CorruptFileError and OSError for a folder that cannot be read.
        """
        self.folder = self.folder or self.run.folder(out)
        if self.folder is None:
            return None
        found = read_run(self.folder)
        summary = found.summary
        self.done = summary.overall.n
        self.usage = summary.usage + summary.uncounted_usage
        if summary.complete:
            self.status = Status.COMPLETE
        elif not summary.unplayed and self._given_up(found):
            self.status = Status.UNSCORED
            self.problem = f"{len(summary.unscored)} of {self.run.planned} have no score"
        return found

    def _given_up(self, found: RunContents) -> bool:
        final = {(record.task_id, record.repeat) for record in found.episodes}
        return len(final) == self.run.planned

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "id": self.name,
            "agent": self.run.entry.agent,
            "suite": self.run.entry.suite,
            "status": self.status.value,
            "episodes": self.run.planned,
            "done": self.done,
            "folder": None if self.folder is None else str(self.folder),
            "usage": self.usage.to_json(),
            "problem": self.problem,
        }


class Progress(Protocol):
    """Shows a sweep's progress."""

    def say(self, text: str) -> None:
        """Shows a message."""

    def update(self, jobs: Sequence[Job]) -> None:
        """Shows how far the runs are."""


class Scheduler:
    """Plays jobs until all are over, or until the user stops it."""

    def __init__(
        self,
        jobs: Sequence[Job],
        limits: Limits,
        out: Path,
        progress: Progress,
        signing_key: Path | None = None,
    ) -> None:
        """``limits.runs`` is at least 1. Reads every folder, so that finished runs are skipped."""
        self.jobs, self.limits, self.out = jobs, limits, out
        self.interrupted = False
        self._signing_key, self._progress = signing_key, progress
        self._servers = ServerWatch()
        self._stops = 0
        self._spent_out = ""
        self._counted = self._spent_at = 0.0
        self._said: dict[str, float] = {}
        self._random = random.Random()  # noqa: S311 - spreads retries
        for job in jobs:
            self._look(job)

    def beginning(self) -> str:
        """What is to be played, in words."""
        finished = sum(job.status in (Status.COMPLETE, Status.UNSCORED) for job in self.jobs)
        already = f", {finished} already finished" if finished else ""
        return f"{counted(len(self.jobs), 'run')}{already} -> {self.out}"

    def play(self) -> None:
        """Plays. The runs end with the thread that calls it."""
        try:
            self._check_spent()
            while not all(job.status in OVER for job in self.jobs):
                self._tick()
                time.sleep(TICK)
        finally:
            for job in self.jobs:
                if job.process is not None:
                    job.process.kill()
                    self._ended(job)
            self._servers.close()
            self._progress.update(self.jobs)

    # --- Ctrl-C

    def stop(self) -> None:
        """The first call stops every run after its current step, the second kills all. Any thread
        and signal handler may call it."""
        self._stops += 1

    def _stop(self) -> None:
        playing = [job for job in self.jobs if job.process is not None]
        if self._stops == 1 and not self.interrupted:
            self.interrupted = True
            if playing:
                count = len(playing)
                runs = "the run" if count == 1 else f"{count} runs"
                self._progress.say(f"Stopping {runs}; press Ctrl-C again to kill.")
            self._end_all("interrupted")
        elif self._stops > 1:
            self.interrupted = True
            self._end_all("interrupted")
            for job in playing:
                if job.process is not None:
                    job.process.kill()

    def _end_all(self, why: str) -> None:
        """Stops what plays, and starts nothing more."""
        for job in self.jobs:
            if job.process is not None:
                job.process.stop()
            elif job.status not in OVER:
                job.status, job.problem = Status.STOPPED, why

    # --- Ticks

    def _tick(self) -> None:
        if self._stops:
            self._stop()
        for job in self.jobs:
            if job.process is not None:
                self._watch(job)
        now = time.monotonic()
        if now - self._counted >= _COUNT_EVERY:
            self._counted = now
            for job in self.jobs:
                if job.process is not None:
                    job.count(self.out)
        if now - self._spent_at >= _SPENT_EVERY:
            self._check_spent()
        if not (self.interrupted or self._spent_out):
            self._start_next(now)
        self._progress.update(self.jobs)

    def _watch(self, job: Job) -> None:
        process = job.process
        if process is None:
            return
        over = process.poll() is not None
        for line in process.messages():
            self._progress.say(f"{job.name}: {line}")
        if over:
            self._ended(job)

    def _start_next(self, now: float) -> None:
        playing = [job for job in self.jobs if job.process is not None]
        busy = Counter(job.run.endpoint.url for job in playing if job.run.endpoint is not None)
        free = self.limits.runs - len(playing)
        for job in self.jobs:
            if free <= 0:
                return
            if job.status is not Status.WAITING or job.not_before > now:
                continue
            if not self._has_server(job, busy, now):
                continue
            self._start(job)
            free -= 1
            if job.run.endpoint is not None:
                busy[job.run.endpoint.url] += 1

    def _has_server(self, job: Job, busy: Mapping[str, int], now: float) -> bool:
        """Whether the job's model server answers and has room for another run."""
        endpoint = job.run.endpoint
        if endpoint is None:
            return True
        if busy.get(endpoint.url, 0) >= self.limits.servers.get(endpoint.url, self.limits.runs):
            return False
        refusal = self._servers.refusal(endpoint)
        if refusal and now - self._said.get(endpoint.url, -_SAY_AGAIN) >= _SAY_AGAIN:
            self._said[endpoint.url] = now
            self._progress.say(
                f"Waiting for the model server {endpoint.url}: {refusal.rstrip('.')}. Its runs"
                " start when it answers; other runs continue."
            )
        if refusal == "" and self._said.pop(endpoint.url, None) is not None:
            self._progress.say(f"The model server {endpoint.url} answers again.")
        return refusal == ""

    def _start(self, job: Job) -> None:
        words = run_words(job.words, self.out, self._signing_key, self._budgets(job))
        job.process = RunProcess(words)
        job.status, job.problem = Status.PLAYING, ""

    # --- The end of a child

    def _ended(self, job: Job) -> None:
        process = job.process
        if process is None:
            return
        code, document = process.poll(), process.document()
        process.close()
        job.process = None
        before = job.done
        job.status, job.problem = Status.WAITING, ""
        self._look(job)
        if job.status in OVER:
            self._report(job)
            return
        error = document.get("error")
        kind = error.get("kind", "") if isinstance(error, dict) else ""
        why = error.get("message", "") if isinstance(error, dict) else document.get("stopped", "")
        job.problem = why.rstrip(".") or f"the run ended with status {code}{_details(job)}"
        if self.interrupted or self._spent_out:
            job.status = Status.STOPPED
        elif kind == "RunFolderBusyError":
            self._wait_for_folder(job)
        elif self._own_budget(job):
            job.status = Status.BUDGET
        elif code == 2:
            job.status = Status.FAILED
        else:
            self._retry(job, progressed=job.done > before)
        if job.status in OVER:
            self._report(job)

    def _look(self, job: Job) -> None:
        """Reads the state of a run from its folder."""
        try:
            job.read(self.out)
        except (FormatError, CorruptFileError, OSError) as error:
            job.status, job.problem = Status.FAILED, str(error)

    def _wait_for_folder(self, job: Job) -> None:
        """Another process, such as one that a killed sweep left, plays this run."""
        job.not_before = time.monotonic() + _BUSY_WAIT
        if job.name not in self._said:
            self._said[job.name] = time.monotonic()
            self._progress.say(f"{job.name}: another process plays this run; waiting for it.")

    def _retry(self, job: Job, *, progressed: bool) -> None:
        job.tries = 1 if progressed else job.tries + 1
        if job.tries > self.limits.retries:
            job.status = Status.FAILED
            return
        wait = min(_FIRST_WAIT * 2 ** (job.tries - 1), _LONGEST_WAIT)
        wait *= self._random.uniform(0.75, 1.25)
        job.not_before = time.monotonic() + wait
        self._progress.say(f"{job.name} stopped: {job.problem}. It starts again in {wait:.0f} s.")

    def _report(self, job: Job) -> None:
        place = "" if job.folder is None else f" -> {job.folder}"
        why = f": {job.problem}" if job.problem else ""
        self._progress.say(
            f"{job.name}: {job.status.value}, {job.done} of {job.run.planned} episodes{why}{place}"
        )

    # --- Budgets

    def _budgets(self, job: Job) -> dict[str, float | None]:
        """The run's own budgets, or what is left of those for all if that is less."""
        found: dict[str, float | None] = {}
        if job.run.asked.spends is False:
            # The run would warn that its budget has no effect.
            return found
        spent = Usage.total(each.usage for each in self.jobs)
        request = job.run.request
        for name, most, used, before, own in (
            (
                "max-cost",
                self.limits.max_cost,
                spent.cost_usd,
                job.usage.cost_usd,
                request.max_cost_usd,
            ),
            (
                "max-tokens",
                self.limits.max_tokens,
                spent.tokens,
                job.usage.tokens,
                request.max_tokens,
            ),
        ):
            if most is not None:
                left = before + most - used
                found[name] = left if own is None else min(left, own)
        return found

    def _own_budget(self, job: Job) -> bool:
        request = job.run.request
        return bool(request.spending.reached(job.usage))

    def _check_spent(self) -> None:
        """Stops everything once all runs together have spent a budget."""
        self._spent_at = time.monotonic()
        if self._spent_out or (self.limits.max_cost is None and self.limits.max_tokens is None):
            return
        for job in self.jobs:
            if job.process is not None:
                self._update_usage(job)
        spent = Usage.total(job.usage for job in self.jobs)
        cost, tokens = self.limits.max_cost, self.limits.max_tokens
        if cost is not None and round(spent.cost_usd, 9) >= cost:
            self._spent_out = dollars(cost)
        elif tokens is not None and spent.tokens >= tokens:
            self._spent_out = f"{tokens:,} tokens"
        else:
            return
        self._progress.say(
            f"The budget of {self._spent_out} for all runs is spent ({usage_text(spent)}). To"
            " continue, raise it in the plan and run the same command."
        )
        self._end_all(f"the budget of {self._spent_out} for all runs is spent")

    def _update_usage(self, job: Job) -> None:
        status, problem = job.status, job.problem
        self._look(job)
        # It plays until its process has ended.
        job.status, job.problem = status, problem


@contextmanager
def stopped_by_signals(scheduler: Scheduler) -> Iterator[None]:
    """Lets Ctrl-C and SIGTERM stop the scheduler. For the main thread."""

    def stop(_number: int, _frame: object) -> None:
        scheduler.stop()

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _details(job: Job) -> str:
    """The command that shows why the run's agent failed, as the end of a sentence."""
    if job.folder is None:
        return ""
    return f"; for details: houseguest show {shlex.quote(str(job.folder))} --guests"


def make_jobs(
    runs: Sequence[SweepRun], words: Callable[[Mapping[str, Any]], list[str]]
) -> list[Job]:
    """A job for each run. ``words`` turns the options of an entry into words."""
    return [Job(run, words(run.entry.options)) for run in runs]
