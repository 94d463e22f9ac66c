"""Which recorded episodes are demonstrations of training tasks."""

from __future__ import annotations

from collections.abc import Callable

from env_service.domain.names import UnknownNameError
from env_service.exports.job import Job
from env_service.results.records import EpisodeRecord
from env_service.results.run_reader import RunContents
from env_service.suites.registry import SuiteLoadError, load_suite


class EvaluationTasksError(Exception):
    """Demonstrations of evaluation tasks were asked for."""


def training_tasks(run: RunContents) -> Callable[[str], bool]:
    """A function that says by id whether a task of the run is for training.

    No task is if the run's suite cannot be loaded: what nobody declares is for evaluation.
    """
    task_set = run.manifest.task_set
    try:
        suite = load_suite(run.manifest.suite)
    except (UnknownNameError, SuiteLoadError):
        return lambda _task_id: False
    return lambda task_id: suite.for_training(task_set, task_id)


def keep_training(job: Job) -> Callable[[RunContents, EpisodeRecord], bool]:
    """A filter for episodes of training tasks."""
    asked = {run.path: training_tasks(run) for run in job.runs}
    return lambda run, record: asked[run.path](record.task_id)


def check_training(job: Job) -> None:
    """Raises EvaluationTasksError if a run has no episode of a training task."""
    kept = keep_training(job)
    refused = {
        f"{run.manifest.suite}/{run.manifest.task_set}"
        for run in job.runs
        if run.episodes and not any(kept(run, record) for record in run.episodes)
    }
    if refused:
        raise EvaluationTasksError(
            f"The tasks of {', '.join(sorted(refused))} are for evaluation: a model that was"
            " trained on them scores too high on them later. Export runs on training tasks, which"
            " `houseguest suites` counts, or pass --include-evaluation-tasks; the card then marks"
            " the data set as contaminated."
        )
