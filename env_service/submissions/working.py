"""A worker: takes up one submission after the other."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from env_service.results.folder import RunFolderBusyError
from env_service.submissions.attempt import Bench, attempt
from env_service.submissions.errors import PhasesError
from env_service.submissions.heart import Heart
from env_service.submissions.job import Job, JobState, Outcome
from env_service.submissions.presence import Presence
from env_service.submissions.publishing import publish
from env_service.submissions.queue import Beat, Queue

LOG = logging.getLogger(__name__)
LEASE_SECONDS = 60.0
POLL_SECONDS = 2.0
_BUSY_SECONDS = 5.0
"""How long a job waits whose runs another process still writes."""


@dataclass(frozen=True, slots=True)
class Work:
    """How a worker works. ``once``: one submission at most; ``watch``: waits for more for ever.

    ``begun`` and ``ended`` are told of each submission.
    """

    bench: Bench
    lease_seconds: float = LEASE_SECONDS
    once: bool = False
    watch: bool = False
    begun: Callable[[Job], None] = lambda _job: None
    ended: Callable[[Job], None] = lambda _job: None


def work(queue: Queue, how: Work) -> int:
    """Plays what is queued; returns how many submissions this worker brought to an end.

    To be called from the main thread. Ctrl-C stops the guests, puts the submission in hand back
    into the queue, and leaves here as KeyboardInterrupt.
    """
    worker = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
    with Presence(queue.workers, worker):
        return _work(queue, worker, how)


def _work(queue: Queue, worker: str, how: Work) -> int:
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


def _work_on(queue: Queue, job: Job, worker: str, how: Work) -> bool:
    """Whether the job came to an end here."""
    how.begun(job)
    with Heart(queue, job.id, worker, how.lease_seconds) as heart:
        try:
            outcome = attempt(queue, job, how.bench)
            heart.stop()
        except RunFolderBusyError:
            heart.stop()
            queue.give_back(job.id, worker, _BUSY_SECONDS)
            return False
        except KeyboardInterrupt:
            heart.stop()
            if heart.beat is Beat.KEPT:
                queue.give_back(job.id, worker)
                raise
            if heart.beat is Beat.LOST:
                LOG.warning("submission %s was taken over by another worker", job.id)
                return False
            outcome = Outcome(JobState.CANCELLED)
        finally:
            how.bench.over()
    finished = queue.finish(job.id, worker, outcome)
    if finished is None:
        return False
    publish_job(queue, finished)
    how.ended(finished)
    return finished.state.final


def publish_job(queue: Queue, job: Job) -> None:
    """Writes a job's public side; a phase that is no more counts as hidden."""
    try:
        phase = queue.phases().get(job.phase)
    except PhasesError:
        phase = None
    publish(queue, job, phase)
