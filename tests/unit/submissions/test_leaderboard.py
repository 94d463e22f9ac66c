"""Who stands where, and what of it everybody may know."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.job import AttemptEnd, Job, JobState
from env_service.submissions.leaderboard import leaderboard, public_json, publish
from env_service.submissions.phases import Phase
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
    queue.finish(job.id, "w", AttemptEnd(JobState.FAILED))
    scored(queue, "a", result(1, 10), OPEN)
    assert leaderboard(queue.jobs(), replace(OPEN, name="other")) == ()
    assert [entry.job.team for entry in leaderboard(queue.jobs(), OPEN)] == ["a"]


# --- What everybody may know holds no task, no secret, and nothing that an agent said


HIDDEN = Phase(name="test", suite="babyai", hidden=True)
MARK = "Task\N{EM DASH}"
"""Stands before everything that must not come out."""

secrets = st.text(min_size=1, max_size=20).map(lambda text: MARK + text)
values: Any = st.recursive(
    secrets | st.dictionaries(secrets, st.integers(), max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(secrets, inner, max_size=3),
    max_leaves=8,
)


def job(**changes: Any) -> Job:
    plain = Job(
        id="sub-1",
        team="a",
        phase="test",
        reference="an-image:1",
        digest="sha256:1",
        manifest={"name": "plays", "version": "1.0"},
        manifest_digest="",
        added=0.0,
        day="2026-11-22",
        state=JobState.SCORED,
    )
    return replace(plain, **changes)


def full(secret: Any, text: str) -> dict[str, Any]:
    """A result into which a secret was put wherever one could be, and in fields yet to come."""
    whole = result(1, 4, played=3)
    (only,) = whole["results"]
    only["failures"] |= {text: 1}
    only["task_set"] = only["suite"] = only["world"] = text
    for holder in (whole, only, only["rates"], *only["rates"].values(), *whole["overall"].values()):
        holder |= {"seed": secret, "episodes": secret, "task_ids": secret, "declared": secret}
        holder |= {text: secret}
    return whole


@given(values, secrets)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_secret_of_a_hidden_phase_comes_out(secret: Any, text: str) -> None:
    shown = public_json(
        job(
            result=full(secret, text),
            detail=text,
            reference=text,
            worker=text,
            failure=SubmissionFailure.AGENT_CRASH,
            manifest={"name": "n", "notes": text, "configuration": {text: text}},
        ),
        HIDDEN,
    )
    assert MARK not in json.dumps(shown, ensure_ascii=False)
    assert shown["score"]["rates"]["over_all_planned"]["n"] == 4


def test_what_is_told_are_totals() -> None:
    shown = public_json(job(result=result(1, 4, played=3)), HIDDEN)
    assert shown["score"]["rates"]["over_all_planned"]["successes"] == 1
    assert shown["score"]["not_scored"] == 1
    assert "secret-set-424242" not in json.dumps(shown)
    assert "babyai" not in json.dumps(shown["score"])


def test_how_episodes_failed_is_told_of_an_open_phase_alone() -> None:
    """An agent chooses how it fails: the counts could carry what it saw to the outside."""
    done = job(result=result(1, 4, played=3))
    assert public_json(done, replace(HIDDEN, hidden=False))["score"]["failures"] == {"max_steps": 2}
    assert set(public_json(done, HIDDEN)["score"]) == {"reported", "rates", "not_scored"}
    assert set(public_json(done, None)["score"]) == {"reported", "rates", "not_scored"}


def test_an_open_phase_tells_its_task_sets_and_one_that_is_no_more_tells_none() -> None:
    done = job(result=result(1, 4))
    (told,) = public_json(done, replace(HIDDEN, hidden=False))["score"]["task_sets"]
    assert told["task_set"] == "secret-set-424242"
    assert "task_sets" not in public_json(done, None)["score"]


def test_it_is_written_beside_what_is_private(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue", FakeClock())
    added = queue.add(new_job(), HIDDEN)
    publish(queue, added, HIDDEN)
    written = json.loads((queue.public / f"{added.id}.json").read_text(encoding="utf-8"))
    assert written == public_json(added, HIDDEN)
    assert (written["state"], written["score"]) == ("queued", None)
