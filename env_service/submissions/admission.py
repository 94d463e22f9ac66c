"""Admits submissions to an organiser's queue."""

from __future__ import annotations

from env_service.domain.names import UnknownNameError
from env_service.sandbox.options import DOCKER
from env_service.submissions.failures import PhasesError, QueueError
from env_service.submissions.job import Job, NewJob
from env_service.submissions.leaderboard import publish
from env_service.submissions.manifest import check_suite
from env_service.submissions.package import is_folder, read_submission
from env_service.submissions.package_store import package_store
from env_service.submissions.phases import FILE, Phase, pick_phase
from env_service.submissions.queue import Queue
from env_service.submissions.scoring import TaskChoice, check_choice
from env_service.suites.base import ConditionError
from env_service.suites.registry import load_suite
from env_service.suites.selection import pick_task_set


def add(queue: Queue, reference: str, team: str, phase_name: str) -> Job:
    """Pins a submission by its digest, reads its manifest, and queues it.

    Raises UnknownNameError for an unknown phase, ManifestError and ManifestMissingError for a
    manifest that cannot be used, ImageMissingError and AgentStartError if the image is missing,
    LimitReachedError and QueueError if the phase does not accept the submission, and PhasesError
    for a phase that cannot be played. Raises the errors of ``load_suite`` and ``pick_task_set`` if
    the phase's suite or data are missing.
    """
    phase = pick_phase(queue.phases(), phase_name)
    _check_kind(reference, phase)
    _check_playable(queue, phase)
    store = package_store(reference)
    submission = read_submission(store, store.find(reference))
    check_suite(submission.manifest, phase.suite)
    job = queue.add(
        NewJob(
            team=team,
            phase=phase.name,
            reference=reference,
            digest=submission.package.digest,
            manifest=submission.manifest.to_json(),
            manifest_digest=submission.manifest_digest,
        ),
        phase,
    )
    publish(queue, job, phase)
    return job


def _check_playable(queue: Queue, phase: Phase) -> None:
    """Loads the phase's tasks now, because a wrong name would fail every submission later."""
    suite = load_suite(phase.suite)
    try:
        for task_set in queue.secrets.fill_in(phase.name, phase.task_sets):
            check_choice(TaskChoice(phase.suite, task_set), phase.world, phase.condition)
            pick_task_set(suite, task_set)
    except (UnknownNameError, ConditionError) as error:
        raise PhasesError(f"{queue.folder / FILE}: phase {phase.name}: {error}") from error


def _check_kind(reference: str, phase: Phase) -> None:
    if is_folder(reference) and phase.sandbox == DOCKER:
        raise QueueError(
            f"phase {phase.name} accepts only images, but {reference} is a folder: build an image"
            ' of it, or set sandbox = "bwrap" for the phase'
        )
    if not is_folder(reference) and phase.sandbox != DOCKER:
        raise QueueError(
            f'phase {phase.name} has sandbox = "{phase.sandbox}" and accepts only folders: submit a'
            " folder such as ./my_agent"
        )
