"""One attempt at a queued submission: check it, play it, and say what it came to."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from env_service.plain_files import read_plain
from env_service.results.atomic import document, write_atomically
from env_service.results.folder import RunFolderBusyError, RunFolderMismatchError
from env_service.results.keys import SigningKey
from env_service.results.layout import MOST_SCORES
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.options import SandboxOptions
from env_service.submissions.checking import SPEAKING, CheckOrder, CheckTold, as_failed, check
from env_service.submissions.conforming import Conform, conform
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.job import Job, JobState, Outcome
from env_service.submissions.package import read_submission, shelf_for
from env_service.submissions.phases import Phase, pick_phase
from env_service.submissions.playing import Watch
from env_service.submissions.queue import Queue
from env_service.submissions.scoring import ScoreOrder, TaskChoice, score
from env_service.submissions.stages import CheckReport

LOG = logging.getLogger(__name__)
CHECK = "check.json"
"""Below a job's folder: what its check found."""
_TOO_LONG = 4000
_NOT_IN_RESULT = ("episodes", "not_scored", "declared")


@dataclass(frozen=True, slots=True)
class Bench:
    """What a worker brings along: its key, its sandbox's runtime, and whom it tells."""

    key: SigningKey
    runtime: str = ""
    start_seconds: float = 300.0
    conform: Conform = conform
    told: CheckTold = field(default_factory=CheckTold)
    over: Callable[[], None] = lambda: None

    @property
    def watch(self) -> Watch:
        """Whom runs are shown to."""
        return self.told.plays

    def sandbox(self, phase: Phase) -> SandboxOptions:
        """The phase's kind of sandbox."""
        asked = frozenset({"--runtime"}) if self.runtime else frozenset()
        return SandboxOptions(kind=phase.sandbox, runtime=self.runtime, asked=asked)


def attempt(queue: Queue, job: Job, bench: Bench) -> Outcome:
    """Plays a job to its end, or takes it up where an earlier worker was stopped.

    Raises RunFolderBusyError where that worker still plays it, and KeyboardInterrupt.
    """
    try:
        return _attempt(queue, job, bench)
    except RunFolderBusyError:
        raise
    except SPEAKING as error:
        failed = as_failed(error)
        failure = SubmissionFailure.SERVICE_FAULT if failed is None else failed.failure
        return Outcome(JobState.FAILED, failure, str(error)[:_TOO_LONG])
    except AgentSpecError as error:
        return Outcome(JobState.FAILED, SubmissionFailure.START_FAILED, str(error))
    except Exception as error:
        # One submission must not keep the others from being played.
        LOG.exception("submission %s", job.id)
        detail = f"{type(error).__name__}: {error}"[:_TOO_LONG]
        return Outcome(JobState.FAILED, SubmissionFailure.SERVICE_FAULT, detail)


def _attempt(queue: Queue, job: Job, bench: Bench) -> Outcome:
    phase = pick_phase(queue.phases(), job.phase)
    # What a digest pins is what is played, whatever its name stands for by now.
    shelf = shelf_for(job.reference)
    submission = read_submission(shelf, shelf.find(job.reference, job.digest))
    if phase.check:
        failed = _check(queue, job, phase, bench)
        if failed is not None:
            return failed
    order = ScoreOrder(
        shelf=shelf,
        submission=submission,
        choices=tuple(
            TaskChoice(phase.suite, task_set)
            for task_set in queue.secrets.fill_in(phase.name, phase.task_sets)
        ),
        out=queue.place(job),
        key=bench.key,
        sandbox=bench.sandbox(phase),
        ceiling=phase.ceiling,
        world=phase.world,
        condition=phase.condition,
        repeats=phase.repeats,
        parallel=phase.parallel,
        seed=phase.seed,
        step_budget=phase.step_budget,
        episode_budget=phase.episode_budget,
        start_seconds=bench.start_seconds,
    )
    try:
        scored = score(order, bench.watch, bench.over)
    except RunFolderMismatchError as error:
        _set_aside(queue, job)
        return Outcome(JobState.FAILED, SubmissionFailure.SERVICE_FAULT, str(error))
    result = {key: value for key, value in scored.body.items() if key != "results"}
    result["results"] = [_without_episodes(each) for each in scored.body["results"]]
    detail = "; ".join(each.stopped for each in scored.played if each.stopped)[:_TOO_LONG]
    unplayed = any(each.summary.unplayed for each in scored.played)
    if scored.failure is SubmissionFailure.SERVICE_FAULT and unplayed:
        return Outcome(JobState.FAILED, scored.failure, detail or "the house stopped the run")
    played = any(each.summary.overall.n for each in scored.played)
    state = JobState.SCORED if played else JobState.FAILED
    return Outcome(state, scored.failure, detail, result)


def _check(queue: Queue, job: Job, phase: Phase, bench: Bench) -> Outcome | None:
    """The outcome of a check that failed; None where it passed, now or before."""
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
            sandbox=bench.sandbox(phase),
            ceiling=phase.ceiling,
            episode_budget=phase.episode_budget,
            start_seconds=bench.start_seconds,
            key=bench.key,
            conform=bench.conform,
        ),
        bench.told,
    )
    write_atomically(place / CHECK, document(report.to_json()))
    return None if report.passed else _failed(report)


def _passed(path: Path) -> bool:
    """Whether a check that was made before passed."""
    try:
        return json.loads(read_plain(path, MOST_SCORES, within=path.parent)).get("passed") is True
    except FileNotFoundError:
        return False


def _failed(report: CheckReport) -> Outcome:
    stage = report.failed
    failure = stage.failure if stage else None
    detail = f"check, {stage.name}: {stage.problem}" if stage else "the check failed"
    return Outcome(JobState.FAILED, failure or SubmissionFailure.SERVICE_FAULT, detail[:_TOO_LONG])


def _without_episodes(result: Mapping[str, Any]) -> dict[str, Any]:
    short = {key: value for key, value in result.items() if key not in _NOT_IN_RESULT}
    short["not_scored"] = len(result["not_scored"])
    return short


def _set_aside(queue: Queue, job: Job) -> None:
    """Runs of another house, or of other packages, cannot be gone on with: keep, and begin anew."""
    place = queue.place(job)
    number = sum(1 for _ in place.glob("runs-before-*"))
    (place / "runs").rename(place / f"runs-before-{number}")
