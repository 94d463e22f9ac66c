"""``houseguest doctor`` as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
    guest = tmp_path / "shelf" / "sayer"
    guest.mkdir(parents=True)
    (guest / "agent.toml").write_text(MANIFEST, encoding="utf-8")
    (guest / "agent.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path / "shelf"))
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def doctor(place: Path, *arguments: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "env_service", "doctor", *arguments]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def checks(document: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(document)["checks"]}


def test_a_machine_that_runs_these_tests_is_well(place: Path) -> None:
    out = doctor(place)

    assert "✗" not in out
    assert "✓ python" in out
    assert "• data packs" in out
    assert sorted(path.name for path in place.iterdir()) == ["shelf"]


def test_json_says_the_same(place: Path) -> None:
    document = json.loads(doctor(place, "--json"))

    assert document["state"] in ("note", "warning")
    for each in document["checks"]:
        assert set(each) == {"name", "state", "found", "mend"}
        assert each["mend"] or each["state"] == "ok"


def test_a_problem_has_a_cure_and_exit_status_1(place: Path) -> None:
    (place / "runs").write_text("in the way")

    out = doctor(place, code=1)

    assert "✗ folder for runs" in out
    assert "→ Give another folder to --out." in out
    assert "1 problem" in out
    doctor(place, "--out", "elsewhere")


def test_an_agent_checks_itself_with_its_own_options(place: Path) -> None:
    well = checks(doctor(place, "--agent", "sayer", "--model", "good", "--json"))
    assert well["sayer: model"]["state"] == "ok"

    ill = checks(doctor(place, "--agent", "sayer", "--model", "bad", "--json", code=1))
    assert ill["sayer: model"] == {
        "name": "sayer: model",
        "state": "problem",
        "found": "--model bad",
        "mend": "Name a good one.",
    }


def test_agents_without_a_check_of_their_own(place: Path) -> None:
    assert "can be started" in doctor(place, "--agent", "random")
    assert "there is no program nowhere" in doctor(place, "--agent", "cmd:nowhere -x", code=1)
    external = checks(doctor(place, "--agent", "external", "--json"))
    assert external["the agent"]["state"] == "note"


def test_an_agent_that_lacks_something_says_how_to_get_it(place: Path) -> None:
    manifest = place / "shelf" / "sayer" / "agent.toml"
    text = MANIFEST + '\n[requires]\nmodules = ["no_such_module"]\nextra = "vlm"\n'
    manifest.write_text(text, encoding="utf-8")

    assert "• agent sayer" in doctor(place)
    out = doctor(place, "--agent", "sayer", "--model", "good", "--json", code=1)
    assert "houseguest[vlm]" in checks(out)["the agent"]["found"]


def test_an_unknown_agent_is_wrong_usage(place: Path) -> None:
    out = doctor(place, "--agent", "sayr", "--json", code=2)
    assert json.loads(out)["error"]["nearest"] == "sayer"


def test_colours_are_for_terminals(place: Path) -> None:
    os.environ.pop("FORCE_COLOR", None)
    assert "\x1b" not in doctor(place)
