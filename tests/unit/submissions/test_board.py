"""Who stands where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from env_service.submissions.job import JobState, Outcome
from env_service.submissions.leaderboard import leaderboard
from env_service.submissions.queue import Queue
from tests.support.submitted import PHASE, FakeClock, new_job, result, scored

OPEN = replace(PHASE, per_day=0, total=0)


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "queue", FakeClock())


def test_each_team_stands_with_its_best_or_its_latest(queue: Queue) -> None:
    best = scored(queue, "a", result(3, 10), OPEN)
    latest = scored(queue, "a", result(2, 10), OPEN)
    (entry,) = leaderboard(queue.jobs(), OPEN)
    assert (entry.job.id, entry.submissions, entry.rate) == (best.id, 2, 0.3)
    (entry,) = leaderboard(queue.jobs(), replace(OPEN, ranking="latest"))
    assert entry.job.id == latest.id


def test_equal_rates_share_a_rank_and_the_next_one_counts_them(queue: Queue) -> None:
    for team, successes in (("low", 1), ("first", 5), ("second", 5), ("none", 0)):
        scored(queue, team, result(successes, 10), OPEN)
    found = [(entry.rank, entry.job.team) for entry in leaderboard(queue.jobs(), OPEN)]
    assert found == [(1, "first"), (1, "second"), (3, "low"), (4, "none")]


def test_the_rate_counts_what_was_not_played(queue: Queue) -> None:
    scored(queue, "half", result(4, 10, played=4), OPEN)
    scored(queue, "whole", result(5, 10), OPEN)
    entries = leaderboard(queue.jobs(), OPEN)
    assert [entry.job.team for entry in entries] == ["whole", "half"]
    told = entries[1].to_json()
    assert (told["success_rate"], told["success_rate_over_played"]) == (0.4, 1.0)


def test_what_is_not_scored_or_of_another_phase_stands_nowhere(queue: Queue) -> None:
    queue.add(new_job("failed"), OPEN)
    job = queue.take("w", 60)
    assert job is not None
    queue.finish(job.id, "w", Outcome(JobState.FAILED))
    scored(queue, "a", result(1, 10), OPEN)
    assert leaderboard(queue.jobs(), replace(OPEN, name="other")) == ()
    assert [entry.job.team for entry in leaderboard(queue.jobs(), OPEN)] == ["a"]
