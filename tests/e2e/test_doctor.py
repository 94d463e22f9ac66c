"""``houseguest doctor`` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, Ask, finish, houseguest

MANIFEST = """
description = "Says what it was given."
command = ["{python}", "agent.py"]
check = ["{python}", "agent.py", "--check"]

[[option]]
name = "--model"
required = true
"""
AGENT = """
import json, sys

well = sys.argv[1:] == ["--check", "--model", "good"]
state, mend = ("ok", "") if well else ("problem", "Name a good one.")
check = {"name": "model", "state": state, "found": " ".join(sys.argv[2:]), "mend": mend}
print(json.dumps({"checks": [check]}))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a shelf of one agent, a home and a data folder of its own."""
    agent = tmp_path / "shelf" / "sayer"
    agent.mkdir(parents=True)
    (agent / "agent.toml").write_text(MANIFEST, encoding="utf-8")
    (agent / "agent.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path / "shelf"))
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


Doctor = Callable[..., str]


@pytest.fixture
def doctor(ask: Ask) -> Doctor:
    """What the command prints, in this process."""
    return lambda *arguments, code=0: ask("doctor", *arguments, code=code)[0]


def checks(document: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(document)["checks"]}


def test_a_machine_that_runs_these_tests_is_well(place: Path) -> None:
    out, _ = finish(houseguest(place, "doctor"))

    assert "✗" not in out
    assert "✓ python" in out
    assert "• data packs" in out
    assert sorted(path.name for path in place.iterdir()) == ["shelf"]


def test_json_says_the_same(doctor: Doctor) -> None:
    document = json.loads(doctor("--json"))

    assert document["state"] in ("note", "warning")
    for each in document["checks"]:
        assert set(each) == {"name", "state", "found", "mend"}
        assert each["mend"] or each["state"] == "ok"


def test_a_problem_has_a_cure_and_exit_status_1(place: Path, doctor: Doctor) -> None:
    (place / "runs").write_text("in the way")

    out = doctor(code=1)

    assert "✗ folder for runs" in out
    assert "→ Choose another folder with --out." in out
    assert "1 problem" in out
    doctor("--out", "elsewhere")


def test_an_agent_checks_itself_with_its_own_options(doctor: Doctor) -> None:
    well = checks(doctor("--agent", "sayer", "--model", "good", "--json"))
    assert well["sayer: model"]["state"] == "ok"

    ill = checks(doctor("--agent", "sayer", "--model", "bad", "--json", code=1))
    assert ill["sayer: model"] == {
        "name": "sayer: model",
        "state": "problem",
        "found": "--model bad",
        "mend": "Name a good one.",
    }


def test_agents_without_a_check_of_their_own(doctor: Doctor) -> None:
    assert "can be started" in doctor("--agent", "random")
    assert "program not found: nowhere" in doctor("--agent", "cmd:nowhere -x", code=1)
    external = checks(doctor("--agent", "external", "--json"))
    assert external["the agent"]["state"] == "note"


def test_an_agent_that_lacks_something_says_how_to_get_it(place: Path, doctor: Doctor) -> None:
    manifest = place / "shelf" / "sayer" / "agent.toml"
    text = MANIFEST + '\n[requires]\nmodules = ["no_such_module"]\nextra = "vlm"\n'
    manifest.write_text(text, encoding="utf-8")

    assert "• agent sayer" in doctor()
    out = doctor("--agent", "sayer", "--model", "good", "--json", code=1)
    assert (
        checks(out)["the agent"]["found"]
        == "agent sayer needs no_such_module, which is not installed"
    )
    assert checks(out)["the agent"]["mend"] == "pip install 'houseguest[vlm]'"


def test_an_unknown_agent_is_wrong_usage(doctor: Doctor) -> None:
    out = doctor("--agent", "sayr", "--json", code=2)
    assert json.loads(out)["error"]["nearest"] == "sayer"


def test_colours_are_for_terminals(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in doctor()
