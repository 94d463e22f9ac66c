"""``houseguest actplan lcs`` and ``… learned``: tables, files, and what they say of wrong words."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.actplan.commands.lcs import lcs_command
from env_service.suites.actplan.commands.learned import learned_command
from env_service.suites.actplan.learned import training
from tests.support.extras import extra_module
from tests.support.tiny_bert import write_tiny_bert
from tests.unit.suites.actplan.dataset.packs import actplan_files, use_pack

extra_module("torch")
extra_module("transformers")

WORDS = ("walk_to", "grab", "place_inside", "cup", "cup_1", "cabinet", "wait")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny encoder."""
    return write_tiny_bert(tmp_path_factory.mktemp("encoders") / "tiny", WORDS)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_pack(monkeypatch, tmp_path)


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A user's plans: one is gold, the other has none."""
    path = tmp_path / "mine.jsonl"
    given = {"storing_cups/0": "walk_to(cup)\ngrab(cup)\n", "washing_cups/0": "grab(cup)"}
    lines = (json.dumps({"task": task, "plan": plan}) for task, plan in given.items())
    path.write_text("\n".join(lines))
    return path


def run(command: click.Command, *arguments: object) -> int:
    """The exit status."""
    try:
        with translated():
            status = command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_published_plans_are_compared(bert: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(lcs_command, "--encoder", bert, "--mode", "compat") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Table 4" in lines[0]
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["gpt-4v", "normal", "3"],
        ["gpt-4v", "counterfactual", "1"],
        ["gpt-4v", "total", "4"],
    ]
    assert lines[-1] == "mode compat, threshold 0.8, tiny"


def test_a_users_plan_is_compared_with_every_instance_of_its_problem(
    bert: Path, plans: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "scores.csv"
    assert run(lcs_command, plans, "--encoder", bert, "--csv", table, "--threshold", 0.9999) == 0
    told = capsys.readouterr().out
    assert "without a gold plan here" in told
    assert "Table 4" not in told
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["model"]) for row in rows] == [
        ("Merom_1_int/storing_cups/0/sample_0", "mine"),
        ("Rs_int/storing_cups/0/sample_0", "mine"),
    ]
    assert all(float(row["normalised"]) == float(row["gold_2_normalised"]) == 1 for row in rows)


def test_what_cannot_be_compared_is_told(
    bert: Path, plans: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "alone.json"
    alone.write_text('{"washing_cups/0": "grab(cup)"}')
    assert run(lcs_command, alone, "--encoder", bert) == 1
    assert "washing_cups/0" in capsys.readouterr().err
    assert run(lcs_command, alone, plans, "--name", "x", "--encoder", bert) == 2
    assert run(lcs_command, "--encoder", tmp_path / "nowhere") == 1
    assert "does not exist" in capsys.readouterr().err
    alone.write_text('{"nothing/0": "grab(cup)"}')
    assert run(lcs_command, alone, "--encoder", bert) == 2


def test_plans_may_be_compared_as_json(
    bert: Path, plans: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(lcs_command, plans, "--encoder", bert, "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["mode"], made["encoder"]) == ("clean", "tiny")
    assert made["without_gold"] == ["washing_cups/0"]
    assert [row["part"] for row in made["summary"]] == ["normal", "total"]


def test_a_classifier_is_trained_and_asked(
    bert: Path, plans: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "judge"
    train = ("train", "--encoder", bert, "--out", out, "--device", "cpu", "--epochs")
    assert run(learned_command, *train, 1) == 0
    told = capsys.readouterr()
    assert "constant" in told.out
    assert "val MCC" in told.err
    assert run(learned_command, *train, 2, "--json") == 0
    told = capsys.readouterr()
    assert "resuming after epoch 1" in told.err
    assert json.loads(told.out)["agreement"][-1]["baseline"] == 0.5
    assert run(learned_command, *train, 2, "--seed", 7) == 1
    assert run(learned_command, *train, 1, "--seed", 7, "--fresh") == 0
    assert len((out / training.LOG).read_text().splitlines()) == 1
    capsys.readouterr()

    score = ("score", "--classifier", out / training.BEST, "--device", "cpu")
    assert run(learned_command, *score) == 0
    assert "it chose the classifier's epoch" in capsys.readouterr().out
    assert run(learned_command, *score, plans, "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert [set(plan["chances"]) for plan in made["plans"]] == [{"gold_1", "gold_2"}] * 2
    assert made["without_gold"] == ["washing_cups/0"]
    assert run(learned_command, *score, "--split", "test") == 1
    assert run(learned_command, "score", "--classifier", tmp_path) == 1


def test_without_plans_there_is_nothing_to_learn(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {path: data for path, data in actplan_files().items() if "bleu" not in path}
    use_pack(monkeypatch, tmp_path / "other", files)
    assert run(learned_command, "train", "--encoder", bert, "--out", tmp_path / "judge") == 1
