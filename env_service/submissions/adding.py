"""Takes a submission in."""

from __future__ import annotations

from env_service.sandbox.options import DOCKER
from env_service.submissions.errors import QueueError
from env_service.submissions.job import Job, NewJob
from env_service.submissions.manifest import check_suite
from env_service.submissions.package import is_folder, read_submission, shelf_for
from env_service.submissions.phases import Phase, pick_phase
from env_service.submissions.publishing import publish
from env_service.submissions.queue import Queue


def add(queue: Queue, reference: str, team: str, phase_name: str) -> Job:
    """Pins what is handed in by its digest, reads its manifest, and queues it.

    Raises UnknownNameError for a phase that is none, ManifestError and ManifestMissingError for a
    manifest that cannot be used, ImageMissingError and GuestStartError where the image is not
    there, LimitReachedError and QueueError where the phase does not take it.
    """
    phase = pick_phase(queue.phases(), phase_name)
    _check_kind(reference, phase)
    shelf = shelf_for(reference)
    submission = read_submission(shelf, shelf.find(reference))
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


def _check_kind(reference: str, phase: Phase) -> None:
    if is_folder(reference) and phase.sandbox == DOCKER:
        raise QueueError(
            f"phase {phase.name} takes images, and {reference} is a folder: build an image of it,"
            ' or give the phase sandbox = "bwrap"'
        )
    if not is_folder(reference) and phase.sandbox != DOCKER:
        raise QueueError(
            f'phase {phase.name} has sandbox = "{phase.sandbox}", which is for folders: name one,'
            " as ./my_agent"
        )
