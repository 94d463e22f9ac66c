"""A score says no more than its runs, and is believed no further."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.results.run_reader import read_run
from env_service.storage.signing_key import SigningKey
from env_service.submissions.failures import ScoreError
from env_service.submissions.manifest import parse_manifest
from env_service.submissions.package import FolderStore, Package, Submission
from env_service.submissions.score_file import (
    ALL_PLANNED,
    GAINED,
    MET,
    PLAYED,
    ScoredRun,
    Trial,
    not_scored,
    overall_json,
    rates_json,
    read_score,
    result_json,
    write_score,
)
from env_service.submissions.score_verification import ScoreReport, verify_score
from env_service.submissions.scoring import ScoreOrder, TaskChoice
from env_service.submissions.scoring import score as write_a_score
from tests.support.command_line import LAB
from tests.support.played_run import play_run
from tests.support.submitted import MANIFEST


@pytest.fixture
def key() -> SigningKey:
    return SigningKey.generate()


@pytest.fixture
def score(tmp_path: Path, key: SigningKey) -> Path:
    """A score over a run of four tasks, two of them won."""
    folder, _ = play_run(tmp_path / "runs", key)
    run = read_run(folder)
    runs = [ScoredRun(f"runs/{folder.name}", run, not_scored(run, {}))]
    body = {
        "kind": "score",
        "schema_version": 1,
        "overall": overall_json(runs),
        "results": [result_json(each) for each in runs],
    }
    return write_score(tmp_path, body, key)


def rewrite(path: Path, key: SigningKey, **changes: Any) -> None:
    """Signs a changed score, as whoever holds the key could."""
    body = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    del body["signature"]
    write_score(path.parent, body, key)


def checked(path: Path) -> ScoreReport:
    return verify_score(path, replay=False, suite=LAB)


def test_what_was_not_scored_has_not_succeeded() -> None:
    played = [Trial(f"t{n}", f"c{n}", success=n < 3, scored=True) for n in range(4)]
    missing = [Trial(f"t{n}", f"c{n}", success=False, scored=False) for n in range(4, 10)]
    rates = rates_json([*played, *missing])
    assert (rates[ALL_PLANNED]["n"], rates[ALL_PLANNED]["success_rate"]) == (10, 0.3)
    assert (rates[PLAYED]["n"], rates[PLAYED]["success_rate"]) == (4, 0.75)
    low, high = rates[ALL_PLANNED]["interval_95"]
    assert low < 0.3 < high


def test_goal_conditions_stand_beside_the_rates_where_the_start_was_recorded() -> None:
    def played(gained: float | None, met: float) -> Trial:
        return Trial("t", "c", success=False, scored=True, gained=gained, met=met)

    lost = Trial("t2", "c", success=False, scored=False, gained=0.0, met=0.0)
    rates = rates_json([played(0.5, 0.9), played(-0.1, 0.7), played(None, 0.8), lost])
    assert rates[PLAYED][GAINED] == pytest.approx(0.2)
    assert rates[ALL_PLANNED][GAINED] == pytest.approx(0.4 / 3), "what is lost gains nothing"
    assert rates[PLAYED][MET] == pytest.approx(0.8)
    before = rates_json([played(None, 0.8), lost])
    assert GAINED not in before[ALL_PLANNED]
    assert MET not in before[PLAYED]


def test_no_episode_at_all_has_no_rate() -> None:
    assert rates_json([])[ALL_PLANNED]["success_rate"] is None


def test_a_score_that_nobody_touched_is_good(score: Path, key: SigningKey) -> None:
    report = checked(score)
    assert report.good, report.to_json()
    assert report.public_key == key.public_hex
    assert report.to_json()["runs"][0]["episodes"] == 4


def test_a_score_says_that_a_run_is_a_mixture(tmp_path: Path) -> None:
    folder, _ = play_run(tmp_path / "runs", SigningKey.generate())
    run = read_run(folder)
    declared = ({"agent_version": "1"}, {"agent_version": "2"})
    mixed = replace(run, manifest=replace(run.manifest, declared=declared))
    assert result_json(ScoredRun("runs/a", run, ()))["mixture"] == []
    assert result_json(ScoredRun("runs/a", mixed, ()))["mixture"] == [
        "its agents declared different values: agent_version"
    ]


def test_a_score_of_before_the_field_for_mixtures_is_good(score: Path, key: SigningKey) -> None:
    (result,) = read_score(score)["results"]
    del result["mixture"]
    rewrite(score, key, results=[result])
    assert checked(score).good
    rewrite(score, key, results=[{**result, "mixture": ["two agents"]}])
    told = [problem.what for problem in checked(score).problems]
    assert told == ["result 1: mixture is ['two agents'], but the runs give []"]


def test_another_key_is_told(score: Path) -> None:
    report = verify_score(score, replay=False, public_key="00" * 32, suite=LAB)
    assert "not with the trusted" in report.problems[0].what
    assert not report.runs[0].good


def test_a_rate_that_the_runs_do_not_give_is_told_though_it_is_signed(
    score: Path, key: SigningKey
) -> None:
    (result,) = read_score(score)["results"]
    result["rates"][ALL_PLANNED]["successes"] = 4
    rewrite(score, key, results=[result])
    told = [problem.what for problem in checked(score).problems]
    assert told == ["result 1: rates.over_all_planned.successes is 4, but the runs give 2"]


def test_episodes_cannot_be_left_out_unseen(score: Path, key: SigningKey) -> None:
    (result,) = read_score(score)["results"]
    result["episodes"].pop()
    result["not_scored"] = [
        {"task_id": "lab/3", "repeat": 0, "cluster": "c", "why": "unplayed", "fault": None}
    ]
    rewrite(score, key, results=[result])
    told = [problem.what for problem in checked(score).problems]
    assert told == ["result 1: not_scored differs from the run's episodes without a score"]


@pytest.mark.parametrize("folder", ["/etc", "../elsewhere", "runs/../../x", ""])
def test_a_score_looks_nowhere_but_beside_itself(score: Path, key: SigningKey, folder: str) -> None:
    (result,) = read_score(score)["results"]
    result["run"]["folder"] = folder
    rewrite(score, key, results=[result])
    with pytest.raises(ScoreError, match="is not inside the score's folder"):
        checked(score)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "summary"}', "no json"])
def test_what_is_no_score_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "score.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScoreError, match="is not a score"):
        read_score(path)


def test_a_run_that_is_gone_is_told(score: Path) -> None:
    (folder,) = (score.parent / "runs").iterdir()
    folder.rename(folder.with_name("moved"))
    report = checked(score)
    assert not report.good
    assert "the run cannot be read" in report.problems[0].what


def test_another_submissions_score_is_not_overwritten(score: Path, key: SigningKey) -> None:
    rewrite(score, key, submission={"digest": "sha256:" + "aa" * 32})
    before = score.read_bytes()
    manifest = parse_manifest(MANIFEST.format(suite=LAB).encode(), "houseguest-agent.yaml")
    order = ScoreOrder(
        store=FolderStore(),
        submission=Submission(Package("other", "sha256:" + "bb" * 32), manifest, "00" * 32),
        choices=(TaskChoice(LAB),),
        out=score.parent,
        key=key,
    )
    with pytest.raises(
        ScoreError, match="another image or build: choose another folder with --out"
    ):
        write_a_score(order, lambda _counts, _events: None, lambda: None)
    assert score.read_bytes() == before
