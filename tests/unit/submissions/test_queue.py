"""Who may hand in and when, and what becomes of workers that die."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.submissions.failures import LimitReachedError, QueueError, SubmissionFailure
from env_service.submissions.job import AttemptEnd, Job, JobState
from env_service.submissions.queue import MOST_TRIES, LeaseBeat, Queue, WorkerPresence
from tests.support.submitted import DAY, PHASE, FakeClock, new_job, result

LEASE = 60.0
SERVICE = AttemptEnd(JobState.FAILED, SubmissionFailure.SERVICE_FAULT, "no disk")
CRASH = AttemptEnd(JobState.FAILED, SubmissionFailure.AGENT_CRASH)
MISSING = AttemptEnd(JobState.FAILED, SubmissionFailure.IMAGE_MISSING)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def queue(tmp_path: Path, clock: FakeClock) -> Queue:
    return Queue(tmp_path / "queue", clock)


def played(queue: Queue, end: AttemptEnd) -> Job:
    """Plays the job that is due."""
    job = queue.take("w", LEASE)
    assert job is not None
    done = queue.finish(job.id, "w", end)
    assert done is not None
    return done


def test_what_is_private_can_be_read_by_the_owner_alone(queue: Queue) -> None:
    job = queue.add(new_job(), PHASE)
    for place in (queue.folder, queue.private, queue.place(job)):
        assert place.stat().st_mode & 0o777 == 0o700


def test_a_team_hands_in_so_often_a_day_by_utc(queue: Queue, clock: FakeClock) -> None:
    clock.now = 1_000 * DAY + DAY - 1
    queue.add(new_job("a"), PHASE)
    queue.add(new_job("a"), PHASE)
    with pytest.raises(LimitReachedError, match="team a has used all 2 submissions of 1972-09-27"):
        queue.add(new_job("a"), PHASE)
    queue.add(new_job("b"), PHASE)
    queue.add(new_job("a", "other"), replace(PHASE, name="other"))
    clock.now += 1
    queue.add(new_job("a"), PHASE)


def test_a_team_hands_in_so_often_in_all(queue: Queue, clock: FakeClock) -> None:
    phase = replace(PHASE, per_day=0, total=2)
    queue.add(new_job(), phase)
    queue.add(new_job(), phase)
    clock.now += 50 * DAY
    with pytest.raises(LimitReachedError, match="all 2 submissions of phase test"):
        queue.add(new_job(), phase)


def test_a_phase_closes(queue: Queue, clock: FakeClock) -> None:
    closes = datetime.fromtimestamp(clock.now, UTC)
    with pytest.raises(QueueError, match="closed at"):
        queue.add(new_job(), replace(PHASE, closes=closes))


@pytest.mark.parametrize(("end", "costs"), [(CRASH, True), (MISSING, False)])
def test_only_the_agents_own_failures_cost_an_attempt(
    queue: Queue, end: AttemptEnd, costs: bool
) -> None:
    once = replace(PHASE, per_day=1)
    queue.add(new_job(), once)
    assert played(queue, end).counts is costs
    if costs:
        with pytest.raises(LimitReachedError):
            queue.add(new_job(), once)
    else:
        queue.add(new_job(), once)


def test_what_the_service_failed_is_tried_again_and_costs_nothing(
    queue: Queue, clock: FakeClock
) -> None:
    once = replace(PHASE, per_day=1)
    queue.add(new_job(), once)
    for _ in range(MOST_TRIES - 1):
        assert played(queue, SERVICE).state is JobState.QUEUED
        assert queue.take("w", LEASE) is None, "it waits a moment"
        clock.now += 1000
    last = played(queue, SERVICE)
    assert (last.state, last.failure) == (JobState.FAILED, SubmissionFailure.SERVICE_FAULT)
    assert "gave up after 3 attempts: no disk" in last.detail
    queue.add(new_job(), once)


def test_two_workers_never_have_the_same_job(queue: Queue) -> None:
    first, second = queue.add(new_job("a"), PHASE), queue.add(new_job("b"), PHASE)
    one, two = queue.take("w1", LEASE), queue.take("w2", LEASE)
    assert one is not None
    assert two is not None
    assert [one.id, two.id] == [first.id, second.id]
    assert queue.take("w3", LEASE) is None


def test_the_job_of_a_worker_that_is_gone_is_taken_up_by_another(
    queue: Queue, clock: FakeClock
) -> None:
    job = queue.add(new_job(), PHASE)
    assert queue.take("w1", LEASE) is not None
    clock.now += LEASE - 1
    assert queue.beat(job.id, "w1", LEASE) is LeaseBeat.KEPT
    clock.now += LEASE - 1
    assert queue.take("w2", LEASE) is None, "w1 has shown a sign of life"
    clock.now += 2
    taken = queue.take("w2", LEASE)
    assert taken is not None
    assert (taken.id, taken.tries) == (job.id, 2)
    assert queue.beat(job.id, "w1", LEASE) is LeaseBeat.LOST
    assert queue.finish(job.id, "w1", CRASH) is None, "w1 woke up too late"
    done = queue.finish(job.id, "w2", AttemptEnd(JobState.SCORED, result=result(1, 2)))
    assert done is not None
    assert done.state is JobState.SCORED


def test_a_job_that_kills_its_workers_is_given_up(queue: Queue, clock: FakeClock) -> None:
    job = queue.add(new_job(), PHASE)
    for number in range(MOST_TRIES):
        assert queue.take(f"w{number}", LEASE) is not None
        clock.now += LEASE + 1
    assert queue.take("w", LEASE) is None
    lost = queue.get(job.id)
    assert (lost.state, lost.failure) == (JobState.FAILED, SubmissionFailure.SERVICE_FAULT)
    assert not lost.counts


def test_a_worker_that_is_stopped_costs_no_try(queue: Queue) -> None:
    job = queue.add(new_job(), PHASE)
    for _ in range(MOST_TRIES + 2):
        assert queue.take("w", LEASE) is not None
        queue.give_back(job.id, "w")
    assert queue.get(job.id).tries == 0


def test_a_job_that_nobody_has_begun_is_cancelled_for_free(queue: Queue) -> None:
    once = replace(PHASE, per_day=1)
    job = queue.cancel(queue.add(new_job(), once).id)
    assert job.state is JobState.CANCELLED
    assert queue.take("w", LEASE) is None
    queue.add(new_job(), once)
    with pytest.raises(QueueError, match="already ended: cancelled"):
        queue.cancel(job.id)


def test_a_worker_hears_that_its_job_was_cancelled(queue: Queue) -> None:
    job = queue.add(new_job(), PHASE)
    queue.take("w", LEASE)
    assert queue.cancel(job.id).state is JobState.RUNNING
    assert queue.beat(job.id, "w", LEASE) is LeaseBeat.CANCELLED
    done = queue.finish(job.id, "w", AttemptEnd(JobState.CANCELLED))
    assert done is not None
    assert done.counts, "it has seen tasks"


def test_an_unknown_id_is_named(queue: Queue) -> None:
    job = queue.add(new_job(), PHASE)
    with pytest.raises(UnknownNameError, match=f"Did you mean '{job.id}'"):
        queue.get(job.id[:-1] + "x")


def test_a_queue_survives_its_process(queue: Queue, clock: FakeClock) -> None:
    job = queue.add(new_job(), PHASE)
    again = Queue(queue.folder, clock)
    assert again.jobs() == [job]


def test_a_worker_of_this_machine_that_died_is_known_at_once(queue: Queue) -> None:
    job = queue.add(new_job(), PHASE)
    with WorkerPresence(queue.workers, "w1"):
        assert queue.take("w1", LEASE) is not None
        assert queue.take("w2", LEASE) is None, "w1 lives"
        (queue.workers / "w1.lock").rename(queue.workers / "kept")
    # What the kernel leaves of a process that was killed: a file that nobody holds.
    (queue.workers / "kept").rename(queue.workers / "w1.lock")
    taken = queue.take("w2", LEASE)
    assert taken is not None
    assert taken.id == job.id
