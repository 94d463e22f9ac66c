"""A run's folder from before it was recorded what held at an episode's start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from env_service.domain.episode import GoalCondition
from env_service.results import replay
from env_service.results.manifest import Manifest
from env_service.results.run_reader import read_run
from env_service.results.verification import verify
from env_service.storage.signing_key import SigningKey
from tests.support import lab
from tests.support.played_run import LAB, play_run


def without_start(name: str, met: bool, **_: Any) -> GoalCondition:
    return GoalCondition(name, met)


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder as it was written then; the suite tells the start again."""
    with monkeypatch.context() as then:
        then.setattr(lab, "GoalCondition", without_start)
        return play_run(tmp_path, SigningKey.generate())[0]


def test_it_is_read_and_the_share_is_not_known(before: Path) -> None:
    assert b'"goal_conditions":[["won",true]]' in (before / "episodes.jsonl").read_bytes()
    run = read_run(before)
    assert {each.goals_gained for each in run.episodes} == {None}
    assert run.summary.overall.goals_gained is None
    assert run.summary.overall.goal_conditions == 0.5


def test_it_verifies_and_replays(before: Path) -> None:
    report = verify(before, suite=LAB)
    assert report.good, report.problems
    assert report.to_json()["replayed"] == 4


def test_a_run_of_today_tells_the_start_and_a_changed_one_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = play_run(tmp_path, SigningKey.generate())[0]
    assert b'["won",true,false]' in (folder / "episodes.jsonl").read_bytes()
    assert verify(folder, suite=LAB).good

    def held(name: str, met: bool, **_: Any) -> GoalCondition:
        return GoalCondition(name, met, held_at_start=True)

    monkeypatch.setattr(lab, "GoalCondition", held)
    problems = verify(folder, suite=LAB).problems
    assert any("result.goal_conditions" in problem.what for problem in problems)


def test_what_another_build_of_the_world_answers_is_refused_by_the_builds_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = play_run(tmp_path, SigningKey.generate())[0]
    monkeypatch.setattr(replay, "describe_world", lambda _name: {"rules": "2"})
    monkeypatch.setattr(Manifest, "known_world", lambda _manifest: {"rules": "1"})
    assert verify(folder, suite=LAB).good

    def held(name: str, met: bool, **_: Any) -> GoalCondition:
        return GoalCondition(name, met, held_at_start=True)

    monkeypatch.setattr(lab, "GoalCondition", held)
    report = verify(folder, suite=LAB)
    assert {problem.what for problem in report.problems} == {
        "the episode was played in another build of its world: rules 1 → 2"
    }
    assert report.replayed == 0
