"""Submissions for tests: queue entries, results, and folders with an agent in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from env_service.submissions.job import AttemptEnd, Job, JobState, NewJob
from env_service.submissions.phases import Phase
from env_service.submissions.queue import Queue

LAB = "tests.support.lab:LabSuite"
DAY = 86_400.0
PHASE = Phase(name="test", suite="babyai", per_day=2, total=5)
PLAYS = """
from houseguest_agent import Client
with Client("plays", "1.0", model="m-1") as client:
    for episode in client.episodes():
        while episode.running:
            episode.act({act})
"""
MANIFEST = """
schema: 1
name: plays
version: "1.0"
contact: me@example.org
suites: ["{suite}"]
"""


@dataclass(slots=True)
class FakeClock:
    """Time that passes when a test says so."""

    now: float = 1_000 * DAY

    def __call__(self) -> float:
        return self.now


def new_job(team: str = "a", phase: str = "test", **changes: Any) -> NewJob:
    """A submission that was not reviewed."""
    values: dict[str, Any] = {
        "team": team,
        "phase": phase,
        "reference": "an-image:1",
        "digest": "sha256:" + "1f" * 32,
        "manifest": {"name": "plays", "version": "1.0"},
        "manifest_digest": "00" * 32,
    }
    return NewJob(**{**values, **changes})


def rate(successes: int, n: int) -> dict[str, Any]:
    """A rate, as a score has it."""
    share = successes / n if n else None
    return {
        "n": n,
        "successes": successes,
        "success_rate": share,
        "interval_95": [0.0, 1.0] if n else None,
    }


def result(successes: int, planned: int, played: int | None = None) -> dict[str, Any]:
    """A job's result, with one task set."""
    played = planned if played is None else played
    rates = {"over_all_planned": rate(successes, planned), "over_played": rate(successes, played)}
    return {
        "overall": rates,
        "results": [
            {
                "suite": "babyai",
                "task_set": "secret-set-424242",
                "world": "babyai",
                "condition": {"view": "full"},
                "rates": rates,
                "failures": {"max_steps": played - successes},
                "not_scored": planned - played,
            }
        ],
    }


def scored(queue: Queue, team: str, came_to: Mapping[str, Any], phase: Phase = PHASE) -> Job:
    """A submission that was handed in and played."""
    queue.add(new_job(team), phase)
    job = queue.take("w", 60)
    assert job is not None
    done = queue.finish(job.id, "w", AttemptEnd(JobState.SCORED, result=came_to))
    assert done is not None
    return done


def agent_folder(
    place: Path, *, act: str = '"win"', code: str = "", manifest: str = "", suite: str = LAB
) -> Path:
    """A folder with an agent that plays the laboratory, as it would be packed into an image."""
    place.mkdir()
    script = code or PLAYS.format(act=act)
    (place / "agent.py").write_text(script, encoding="utf-8")
    (place / "agent.toml").write_text(
        f'description = "For a test."\ncommand = ["{sys.executable}", "agent.py"]\n',
        encoding="utf-8",
    )
    text = manifest or MANIFEST.format(suite=suite)
    (place / "houseguest-agent.yaml").write_text(text, encoding="utf-8")
    return place
