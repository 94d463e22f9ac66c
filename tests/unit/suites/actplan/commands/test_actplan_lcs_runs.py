"""``houseguest actplan lcs RUN``: scores that a run's folder keeps, and the report shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.cli.main import run
from tests.support.extras import extra_module
from tests.support.played_actplan import play_plans
from tests.support.tiny_bert import write_tiny_bert
from tests.unit.suites.actplan.dataset.packs import PROBLEM, use_pack

extra_module("torch")
extra_module("transformers")

WORDS = ("walk_to", "grab", "place_inside", "cup", "cup_1", "cabinet", "wait")
PLANS = {
    "storing_cups/0": "Sure!\n1. walk_to(cup)\n2. grab(cup)",
    "storing_cups/1": "walk_to(cabinet)",
    "washing_cups/0": "wait()",
}
TITLE = "Steps in common with gold plans (LCS)"
CLOSE = ("--threshold", "0.9999")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a tiny encoder."""
    return str(write_tiny_bert(tmp_path_factory.mktemp("encoders") / "tiny", WORDS))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A run of three problems, of which one has no gold plan."""
    use_pack(monkeypatch, tmp_path)
    return play_plans(tmp_path, PLANS)


def lcs(bert: str, *given: object) -> int:
    """The exit status."""
    return run(["actplan", "lcs", *map(str, given), "--encoder", bert, "--device", "cpu"])


def reported(capsys: pytest.CaptureFixture[str], *runs: Path) -> dict[str, object]:
    """The first section of the report on runs, as JSON."""
    capsys.readouterr()
    assert run(["report", *map(str, runs), "--format", "text", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    section: dict[str, object] = found["sections"][0]
    return section


def rows(section: dict[str, object]) -> list[dict[str, object]]:
    """Of the table of scores."""
    tables = section["tables"]
    assert isinstance(tables, list)
    return next((each["rows"] for each in tables if each["title"] == TITLE), [])


def test_a_runs_scores_are_kept_and_stand_in_its_report(
    bert: str, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lcs(bert, played, *CLOSE) == 0
    told = capsys.readouterr().out
    assert [line.split()[:3] for line in told.splitlines()[1:4]] == [
        ["planner-7b", "normal", "2"],
        ["planner-7b", "counterfactual", "1"],
        ["planner-7b", "total", "3"],
    ]
    assert "without a gold plan here" in told
    kept = json.loads((played / "scores" / "lcs.json").read_text())
    assert (kept["settings"]["encoder"], kept["settings"]["model"]) == ("tiny", "planner-7b")
    assert [len(kept["settings"][name]) for name in ("encoder_digest", "golds_digest")] == [64, 64]
    assert len(kept["episodes"]) == 3

    normal, counterfactual, whole, *published = rows(reported(capsys, played))
    assert [row["instances"]["value"] for row in (normal, counterfactual, whole)] == [2, 1, 3]  # type: ignore[index]
    # Both normal instances: the second gold to the letter, in either scene.
    assert normal["normalised (clean)"]["value"] == 1  # type: ignore[index]
    assert [row["kind"] for row in published] == ["published", "published"]
    assert [row["LCS (compat)"]["value"] for row in published] == [14.23, 18.0]  # type: ignore[index]


def test_a_report_tells_how_to_get_scores_that_are_not_there_or_of_other_plans(
    bert: str, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told() -> str:
        section = reported(capsys, played)
        assert rows(section) == []
        return section["not_shown"][TITLE]  # type: ignore[index,no-any-return]

    assert told() == "Its folder has no such scores; a separate command writes them after a run."
    assert lcs(bert, played) == 0
    play_plans(played.parent, {**PLANS, "baking_pie/0": "wait()"})
    assert "the run continued afterwards" in told()
    assert lcs(bert, played, "--mode", "compat", "--against", "gold_2") == 0
    assert len(rows(reported(capsys, played))) == 5


def test_runs_of_one_model_are_told_apart(
    bert: str, played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    other = play_plans(tmp_path / "other", PLANS, run_id="run-2")
    assert lcs(bert, played, other, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["model"] for row in found["summary"]} == {str(played), str(other)}
    assert len(found["kept"]) == 2


def test_a_run_that_was_changed_is_refused(
    bert: str, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = (played / "transcripts").glob("*storing_cups-0.jsonl")
    file.write_text(file.read_text().replace("walk_to(cup)", "walk_to(box)"))
    assert lcs(bert, played) == 2
    assert "houseguest verify" in capsys.readouterr().err
    assert not (played / "scores").exists()


def test_activities_of_ones_own_have_no_gold_plans(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_pack(monkeypatch, tmp_path)
    defined = tmp_path / "own" / "bddl" / "activity_definitions" / "storing_cups"
    defined.mkdir(parents=True)
    (defined / "problem0.bddl").write_text(PROBLEM, "utf-8")
    (defined / "task_description_0.txt").write_text("Put the cups away.", "utf-8")
    task_set = f"folder:{tmp_path / 'own'}"
    folder = play_plans(tmp_path, {"own/storing_cups/0": "wait()"}, task_set=task_set)
    assert lcs(bert, folder) == 1
    assert "own/storing_cups/0" in capsys.readouterr().err
    assert not (folder / "scores").exists()


def test_a_run_without_an_episode_says_so(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_pack(monkeypatch, tmp_path)
    assert lcs(bert, play_plans(tmp_path, {})) == 2
    assert "no scored episode yet" in capsys.readouterr().err
