"""A model as the judge of plans, as a user asks it: servers that stumble, going on, calibration."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from env_service.cli.errors import translated
from env_service.suites.actplan.commands.model import model_command
from env_service.suites.actplan.judges import calibration
from tests.support.model_server import MODEL, Call, ModelServer, completion, fails, says
from tests.unit.suites.actplan.dataset.packs import RECORDS, use_pack

KEY = "sk-never-written"


def judges(call: Call) -> None:
    """A model that likes plans with a grab in them; certain as its digest has it."""
    plan = call.asked.texts.rpartition("<plan>")[2]
    correct = "grab" in plan
    probability = 60 if correct else hashlib.sha256(plan.encode()).digest()[0] % 40
    errors = [] if correct else ["missing_actions", "image_understanding"]
    said = {"explanation": "so", "correct": correct, "probability": probability, "errors": errors}
    call.send_json(200, completion(f"<VERDICT>{json.dumps(said)}</VERDICT>"))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server of that model."""
    with ModelServer(judges, key=KEY) as server:
        yield server


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_pack(monkeypatch, tmp_path)
    monkeypatch.setenv("HOUSEGUEST_API_KEY", KEY)
    monkeypatch.setattr(calibration, "LEAST", 3)


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A user's plans."""
    folder = tmp_path / "mine" / "storing_cups"
    folder.mkdir(parents=True)
    (folder / "0.txt").write_text("grab(cup)\n")
    (folder / "1.txt").write_text("wait()\n")
    return folder.parent


def run(server: ModelServer, *arguments: object) -> int:
    """The exit status."""
    endpoint = ("--model", MODEL, "--base-url", server.url, "--patience", "2")
    try:
        with translated():
            words = [*map(str, arguments), *endpoint]
            status = model_command.main(words, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_people_and_model_are_compared(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "calibration.json"
    prices = ("--price-read", "1000", "--price-written", "0")
    assert run(server, "calibrate", "--out", out, "--parallel", "4", *prices) == 0
    told = capsys.readouterr().out
    assert "constant" in told
    assert "cost 0.8000" in told
    made = json.loads(out.read_text())
    whole = {each["split"]: each for each in made["agreement"] if each["plans_of"] == "all"}
    assert whole["train"]["said"]["mcc"] == 1.0
    assert whole["val"]["baseline"] == 0.5
    assert made["calibration"]["temperature"] > 0
    assert KEY not in out.read_text() + (tmp_path / "calibration.json.state.jsonl").read_text()
    assert any(asked.pictures for asked in server.asked)


def test_what_is_known_is_not_asked_again(server: ModelServer, tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    server.queue = [judges, judges, fails(400, "that will not do")]
    assert run(server, "calibrate", "--out", out) == 1
    assert not out.exists()
    before = len(server.asked)
    assert run(server, "calibrate", "--out", out) == 0
    assert len(server.asked) - before == 2 * len(RECORDS) - 2
    assert run(server, "calibrate", "--out", out) == 0
    assert len(server.asked) - before == 2 * len(RECORDS) - 2


def test_plans_without_a_verdict_are_told_and_asked_for_again(
    server: ModelServer, tmp_path: Path, plans: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "judged.json"
    server.queue = [says("I would rather not.")] * 3
    assert run(server, "judge", plans, "--out", out) == 1
    assert "no verdict: storing_cups/0 (mine)" in capsys.readouterr().err
    assert run(server, "judge", plans, "--out", out) == 0
    made = json.loads(out.read_text())
    assert [each["correct"] for each in made["plans"]] == [True, False]
    # Without pictures nobody can tell what they show.
    assert made["plans"][1]["errors"] == ["missing_actions"]


def test_a_calibration_is_for_one_judge_alone(
    server: ModelServer, tmp_path: Path, plans: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted = tmp_path / "c.json"
    assert run(server, "calibrate", "--out", fitted) == 0
    capsys.readouterr()
    judge = ("judge", plans, "--out", tmp_path / "j.json", "--calibration", fitted)
    assert run(server, *judge) == 0
    assert "agreement with people on val: MCC" in capsys.readouterr().out
    assert run(server, *judge, "--show", "none") == 2
    assert "shown was 'goal', now 'none'" in capsys.readouterr().err
    fitted.write_text("{}")
    assert run(server, *judge) == 2


def test_a_state_of_other_settings_is_not_gone_on_with(
    server: ModelServer, tmp_path: Path, plans: Path
) -> None:
    out = tmp_path / "j.json"
    assert run(server, "judge", plans, "--out", out) == 0
    assert run(server, "judge", plans, "--out", out, "--temperature", "0.5") == 1
    assert run(server, "judge", plans, "--out", out, "--temperature", "0.5", "--fresh") == 0


def test_nothing_is_asked_where_something_is_missing(
    server: ModelServer, tmp_path: Path, plans: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(server, "judge", plans) == 2
    assert run(server, "judge", tmp_path, "--out", tmp_path / "j.json", "--name", "x") == 2
    assert run(server, "judge", plans, "--dry-run") == 0
    assert "<plan>\ngrab(cup)\n</plan>" in capsys.readouterr().out
    assert server.asked == []
