"""A worker of the queue. It takes submissions one by one, checks and plays each, records the
result, and meanwhile renews its lease.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from env_service.results.run_folder import RunFolderBusyError, RunFolderMismatchError
from env_service.results.run_layout import MOST_SCORES
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.options import SandboxOptions
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.plain_files import read_plain
from env_service.storage.signing_key import SigningKey
from env_service.submissions.check_report import CheckReport
from env_service.submissions.failures import PhasesError, SubmissionFailure
from env_service.submissions.job import AttemptEnd, Job, JobState
from env_service.submissions.leaderboard import publish
from env_service.submissions.package import read_submission
from env_service.submissions.package_store import package_store
from env_service.submissions.phases import Phase, pick_phase
from env_service.submissions.queue import LeaseBeat, Queue, WorkerPresence
from env_service.submissions.scoring import ScoreOrder, TaskChoice, score
from env_service.submissions.submission_check import (
    SPEAKING,
    CheckOrder,
    CheckProgress,
    Conform,
    as_failed,
    check,
    conform,
)
from env_service.submissions.submission_run import Watch

LOG = logging.getLogger(__name__)
LEASE_SECONDS = 60.0
POLL_SECONDS = 2.0
_BUSY_SECONDS = 5.0
"""Seconds that a job waits if another process still writes its runs."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Options of a worker.

    With ``once`` it plays at most one submission; with ``watch`` it never stops waiting for more.
    It calls ``begun`` and ``ended`` for each submission.
    """

    options: AttemptOptions
    lease_seconds: float = LEASE_SECONDS
    once: bool = False
    watch: bool = False
    begun: Callable[[Job], None] = lambda _job: None
    ended: Callable[[Job], None] = lambda _job: None


def work(queue: Queue, how: WorkerOptions) -> int:
    """Plays the queued submissions and returns how many this worker finished.

    Call it from the main thread. Ctrl-C stops the agents, puts the current submission back into
    the queue, and raises KeyboardInterrupt.
    """
    worker = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
    with WorkerPresence(queue.workers, worker):
        return _work(queue, worker, how)


def _work(queue: Queue, worker: str, how: WorkerOptions) -> int:
    done = 0
    while True:
        job = queue.take(worker, how.lease_seconds)
        if job is None:
            if not how.watch and (how.once or not queue.waiting()):
                return done
            time.sleep(POLL_SECONDS)
            continue
        done += _work_on(queue, job, worker, how)
        if how.once:
            return done


def _work_on(queue: Queue, job: Job, worker: str, how: WorkerOptions) -> bool:
    """Plays a job. Returns whether this worker finished it."""
    how.begun(job)
    with LeaseHeartbeat(queue, job.id, worker, how.lease_seconds) as heart:
        try:
            end = attempt(queue, job, how.options)
            heart.stop()
        except RunFolderBusyError:
            heart.stop()
            queue.give_back(job.id, worker, _BUSY_SECONDS)
            return False
        except KeyboardInterrupt:
            heart.stop()
            if heart.beat is LeaseBeat.KEPT:
                queue.give_back(job.id, worker)
                raise
            if heart.beat is LeaseBeat.LOST:
                LOG.warning("submission %s was taken over by another worker", job.id)
                return False
            end = AttemptEnd(JobState.CANCELLED)
        finally:
            how.options.over()
    finished = queue.finish(job.id, worker, end)
    if finished is None:
        return False
    publish_job(queue, finished)
    how.ended(finished)
    return finished.state.final


def publish_job(queue: Queue, job: Job) -> None:
    """Writes a job's public data. A phase that no longer exists counts as hidden."""
    try:
        phase = queue.phases().get(job.phase)
    except PhasesError:
        phase = None
    publish(queue, job, phase)


# --- One attempt at a queued submission

CHECK = "check.json"
"""The report of the check, in a job's folder."""
_TOO_LONG = 4000
_NOT_IN_RESULT = ("episodes", "not_scored", "declared")


@dataclass(frozen=True, slots=True)
class AttemptOptions:
    """A worker's key, its sandbox's runtime, and its callbacks."""

    key: SigningKey
    runtime: str = ""
    start_seconds: float = 300.0
    conform: Conform = conform
    progress: CheckProgress = field(default_factory=CheckProgress)
    over: Callable[[], None] = lambda: None

    @property
    def watch(self) -> Watch:
        """The callback that follows runs."""
        return self.progress.plays

    def sandbox(self, phase: Phase) -> SandboxOptions:
        """The sandbox options for a phase."""
        asked = frozenset({"--runtime"}) if self.runtime else frozenset()
        return SandboxOptions(kind=phase.sandbox, runtime=self.runtime, asked=asked)


def attempt(queue: Queue, job: Job, options: AttemptOptions) -> AttemptEnd:
    """Plays a job, or resumes it where an earlier worker was stopped.

    Raises RunFolderBusyError if that worker still plays it, and KeyboardInterrupt.
    """
    try:
        return _attempt(queue, job, options)
    except RunFolderBusyError:
        raise
    except SPEAKING as error:
        failed = as_failed(error)
        failure = SubmissionFailure.SERVICE_FAULT if failed is None else failed.failure
        return AttemptEnd(JobState.FAILED, failure, str(error)[:_TOO_LONG])
    except AgentSpecError as error:
        return AttemptEnd(JobState.FAILED, SubmissionFailure.START_FAILED, str(error))
    except Exception as error:
        # An error in one submission must not stop the others.
        LOG.exception("submission %s", job.id)
        detail = f"{type(error).__name__}: {error}"[:_TOO_LONG]
        return AttemptEnd(JobState.FAILED, SubmissionFailure.SERVICE_FAULT, detail)


def _attempt(queue: Queue, job: Job, options: AttemptOptions) -> AttemptEnd:
    phase = pick_phase(queue.phases(), job.phase)
    # The digest decides which package is played, even if its name now refers to another one.
    store = package_store(job.reference)
    submission = read_submission(store, store.find(job.reference, job.digest))
    if phase.check:
        failed = _check(queue, job, phase, options)
        if failed is not None:
            return failed
    order = ScoreOrder(
        store=store,
        submission=submission,
        choices=tuple(
            TaskChoice(phase.suite, task_set)
            for task_set in queue.secrets.fill_in(phase.name, phase.task_sets)
        ),
        out=queue.place(job),
        key=options.key,
        sandbox=options.sandbox(phase),
        ceiling=phase.ceiling,
        world=phase.world,
        condition=phase.condition,
        repeats=phase.repeats,
        parallel=phase.parallel,
        seed=phase.seed,
        step_budget=phase.step_budget,
        episode_budget=phase.episode_budget,
        start_seconds=options.start_seconds,
    )
    try:
        scored = score(order, options.watch, options.over)
    except RunFolderMismatchError as error:
        _set_aside(queue, job)
        return AttemptEnd(JobState.FAILED, SubmissionFailure.SERVICE_FAULT, str(error))
    result = {key: value for key, value in scored.body.items() if key != "results"}
    result["results"] = [_without_episodes(each) for each in scored.body["results"]]
    detail = "; ".join(each.stopped for each in scored.played if each.stopped)[:_TOO_LONG]
    unplayed = any(each.summary.unplayed for each in scored.played)
    if scored.failure is SubmissionFailure.SERVICE_FAULT and unplayed:
        return AttemptEnd(JobState.FAILED, scored.failure, detail or "the service stopped the run")
    played = any(each.summary.overall.n for each in scored.played)
    state = JobState.SCORED if played else JobState.FAILED
    return AttemptEnd(state, scored.failure, detail, result)


def _check(queue: Queue, job: Job, phase: Phase, options: AttemptOptions) -> AttemptEnd | None:
    """Runs the check. Returns how a failure ends the attempt; None if it passes now or passed
    before."""
    place = queue.place(job)
    if _passed(place / CHECK):
        return None
    shutil.rmtree(place / "check", ignore_errors=True)
    report = check(
        CheckOrder(
            reference=job.reference,
            digest=job.digest,
            out=place / "check",
            suites=(phase.suite,),
            sandbox=options.sandbox(phase),
            ceiling=phase.ceiling,
            episode_budget=phase.episode_budget,
            start_seconds=options.start_seconds,
            key=options.key,
            conform=options.conform,
        ),
        options.progress,
    )
    write_atomically(place / CHECK, document(report.to_json()))
    return None if report.passed else _failed(report)


def _passed(path: Path) -> bool:
    """Whether an earlier check passed."""
    try:
        return json.loads(read_plain(path, MOST_SCORES, within=path.parent)).get("passed") is True
    except FileNotFoundError:
        return False


def _failed(report: CheckReport) -> AttemptEnd:
    stage = report.failed
    failure = stage.failure if stage else None
    detail = f"check, {stage.name}: {stage.problem}" if stage else "the check failed"
    return AttemptEnd(
        JobState.FAILED, failure or SubmissionFailure.SERVICE_FAULT, detail[:_TOO_LONG]
    )


def _without_episodes(result: Mapping[str, Any]) -> dict[str, Any]:
    short = {key: value for key, value in result.items() if key not in _NOT_IN_RESULT}
    short["not_scored"] = len(result["not_scored"])
    return short


def _set_aside(queue: Queue, job: Job) -> None:
    """Moves runs aside that cannot resume because the service or its packages have changed."""
    place = queue.place(job)
    number = sum(1 for _ in place.glob("runs-before-*"))
    (place / "runs").rename(place / f"runs-before-{number}")


# --- Renewing the lease on a job

BEATS_A_LEASE = 4
"""Number of renewals per lease, so that a few may fail before another worker may take the job."""


@dataclass(slots=True)
class _Heard:
    beat: LeaseBeat = LeaseBeat.KEPT


class LeaseHeartbeat:
    """Renews a lease from a separate thread while the worker plays. A context manager.

    If the job was lost or cancelled, it interrupts the main thread as Ctrl-C would, so that the
    agents stop first; ``beat`` then gives the reason.
    """

    def __init__(self, queue: Queue, job_id: str, worker: str, lease_seconds: float) -> None:
        self._queue, self._job_id, self._worker = queue, job_id, worker
        self._lease_seconds = lease_seconds
        self._heard = _Heard()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def __enter__(self) -> LeaseHeartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def beat(self) -> LeaseBeat:
        """The queue's last answer."""
        return self._heard.beat

    def stop(self) -> None:
        """Stops renewing; the main thread is not interrupted afterwards. Idempotent."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._lease_seconds / BEATS_A_LEASE):
            try:
                beat = self._queue.beat(self._job_id, self._worker, self._lease_seconds)
            except (OSError, sqlite3.Error):
                LOG.exception("the lease of %s could not be renewed", self._job_id)
                continue
            if beat is not LeaseBeat.KEPT:
                self._heard.beat = beat
                if not self._over.is_set():
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return
