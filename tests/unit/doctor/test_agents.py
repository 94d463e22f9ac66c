"""What an agent says of itself, well or badly."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from env_service.doctor.agents import check_itself, installed_agents
from env_service.doctor.diagnosis import Diagnosis, DiagnosisState, DoctorRequest


def saying(text: str, *, status: int = 0, complaint: str = "") -> list[Diagnosis]:
    code = f"import sys; print({text!r}); print({complaint!r}, file=sys.stderr); sys.exit({status})"
    return check_itself("agent", [sys.executable, "-c", code])


def test_what_it_finds_is_taken_over() -> None:
    model = {"name": "model", "state": "ok", "found": "knows it"}
    sight = {"name": "sight", "state": "problem", "found": "blind", "mend": "Take another."}

    found = saying(json.dumps({"checks": [model, sight]}), status=1)

    assert found == [
        Diagnosis("agent: model", DiagnosisState.OK, "knows it"),
        Diagnosis("agent: sight", DiagnosisState.PROBLEM, "blind", "Take another."),
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("all is well", "not JSON"),
        ("", "not JSON"),
        ("[]", "is [], not an object"),
        ('{"checks": []}', "checks: is an empty list"),
        ('{"checks": ["model"]}', "checks[0]: is 'model', not an object"),
        ('{"checks": [{"state": "ok", "found": "x"}]}', "checks[0]: lacks the key 'name'"),
        (
            '{"checks": [{"name": "x", "state": "ok", "found": 3}]}',
            "checks[0].found: is 3, not a text",
        ),
        ('{"checks": [{"name": "x", "state": "superb", "found": "y"}]}', "no state 'superb'"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_cannot_be_understood_is_a_problem_with_its_last_words(text: str, named: str) -> None:
    (found,) = saying(text, status=3, complaint="Traceback\nKeyError: 'key'")

    assert found.state is DiagnosisState.PROBLEM
    assert "status 3" in found.found
    assert named in found.found
    assert found.found.endswith("KeyError: 'key'")


def test_a_program_that_does_not_exist_is_a_problem() -> None:
    (found,) = check_itself("agent", ["no-such-program-anywhere"])

    assert found.state is DiagnosisState.PROBLEM
    assert "no-such-program-anywhere" in found.found


def test_one_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    child = 'while :; do printf . >> "$0"; sleep 0.02; done'
    code = f"({child}) & echo loading >&2; sleep 60"

    (found,) = check_itself("agent", ["sh", "-c", code, str(beat)], patience=2.0)

    assert found.state is DiagnosisState.PROBLEM
    assert "2 s" in found.found
    assert found.found.endswith("loading")
    assert beat.exists()
    size = beat.stat().st_size
    time.sleep(0.3)
    assert beat.stat().st_size - size <= 1


def test_a_terminal_is_safe_from_what_it_says() -> None:
    check = {"name": "m\x1b[2J", "state": "ok", "found": "\x1b[31mred\nand more"}
    (found,) = saying(json.dumps({"checks": [check]}))

    assert found.name == "agent: m\ufffd[2J"
    assert found.found == "\ufffd[31mred\nand more"


def test_of_endless_complaints_the_end_is_shown() -> None:
    code = "import sys; sys.stderr.write('x' * 10**7 + 'the end')"
    (found,) = check_itself("agent", [sys.executable, "-c", code])

    assert found.found.endswith("the end")
    assert len(found.found) < 1000


def _agent(root: Path, name: str, more: str = "") -> None:
    check = json.dumps({"checks": [{"name": "build", "state": "problem", "found": "none"}]})
    (root / name).mkdir()
    (root / name / "agent.toml").write_text(
        f"command = ['true']\ncheck = ['echo', '{check}']\n{more}"
    )


def test_an_installed_agent_whose_self_check_finds_a_problem_is_not_called_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _agent(tmp_path, "unbuilt")
    _agent(tmp_path, "asked")
    _agent(tmp_path, "model", "[[option]]\nname = '--model'\nhelp = 'x'\nrequired = true\n")
    monkeypatch.setenv("HOUSEGUEST_AGENTS", str(tmp_path))

    found = {each.name: each for each in installed_agents(DoctorRequest(tmp_path, agent="asked"))}

    assert found["agent unbuilt: build"].state is DiagnosisState.NOTE
    assert found["agent unbuilt: build"].found == "none"
    ready = found["agents"].found.removesuffix(" can be started").split(", ")
    assert "model" in ready  # Its self-check needs an option, so it did not run.
    assert not {"unbuilt", "asked"} & set(ready)
