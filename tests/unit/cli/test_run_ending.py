"""What a run's exit status and last line say, also when its disk was full."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.run_ending import conclude, exit_status
from env_service.cli.run_problems import RunProblems
from env_service.domain.failure import GuestFailureClass
from env_service.domain.guest_failure import LostGuest
from env_service.gateway.run_state import RunState
from env_service.results.guest_failures import GuestFailures
from env_service.results.reading import RunText
from env_service.results.summary import Summary
from tests.support.made_run import made_record, made_text

CRASHED = LostGuest(
    GuestFailureClass.AGENT_CRASH, (0,), 1, 0, "Traceback\nValueError: no such skill"
)
LEFT = LostGuest(GuestFailureClass.AGENT_LOST, (0,), 0, 0, "goodbye")


def text(**changes: object) -> RunText:
    """A run of three tasks, all won but for the changes to their records."""
    base = made_text(tasks=3)
    records = [made_record(number, success=not changes, **changes) for number in range(3)]
    return replace(base, episodes=tuple(records))


def ended(
    state: RunState,
    run: RunText | None = None,
    folder: Path = Path("runs/full"),
    **facts: object,
) -> Any:
    """As much of a run as its ending looks at."""
    manifest = None if run is None else run.manifest
    place = SimpleNamespace(path=folder, frames=folder / "frames", manifest=manifest)
    told = {
        "run_id": "run-1",
        "state": state,
        "summary": None if run is None else run.summary,
        "table": SimpleNamespace(folder=place),
        "stopped": "",
        "lost": [],
        "withdrawals": (),
    }
    return SimpleNamespace(**told | facts)


def problems(run: Any) -> RunProblems:
    summary: Summary = run.summary
    return RunProblems.of(run, summary)


@pytest.mark.parametrize(
    ("state", "interrupted", "status"),
    [
        (RunState.SUCCEEDED, False, 0),
        (RunState.FAILED, False, PROBLEM),
        (RunState.CANCELLED, False, PROBLEM),
        (RunState.CANCELLED, True, INTERRUPTED),
    ],
)
def test_the_exit_status(state: RunState, interrupted: bool, status: int) -> None:
    run = ended(state, text())
    assert exit_status(run, problems(run), interrupted=interrupted) == status


@pytest.mark.parametrize(
    "failure", ["agent_crash", "agent_oom", "agent_lost", "agent_timeout", "protocol_error"]
)
def test_a_run_in_which_the_agent_failed_exits_with_1(failure: str) -> None:
    run = ended(RunState.SUCCEEDED, text(failure=failure))
    assert exit_status(run, problems(run), interrupted=False) == PROBLEM


@pytest.mark.parametrize("failure", ["max_steps", "gave_up", "goal_not_reached", "max_failures"])
def test_an_agent_that_merely_did_not_succeed_is_no_problem(failure: str) -> None:
    run = ended(RunState.SUCCEEDED, text(failure=failure))
    assert exit_status(run, problems(run), interrupted=False) == 0


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"lost": [CRASHED]}, PROBLEM),
        ({"lost": [LEFT]}, 0),
        ({"withdrawals": ("one",)}, PROBLEM),
    ],
)
def test_what_cost_no_episode_counts_too(facts: dict[str, object], status: int) -> None:
    run = ended(RunState.SUCCEEDED, text(), **facts)
    assert exit_status(run, problems(run), interrupted=False) == status


def test_the_last_line_names_the_failure_and_where_to_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    GuestFailures(logs).note(CRASHED)
    (logs / "guest-0.log").write_text("Traceback\nValueError: no such skill\n")
    run = ended(RunState.SUCCEEDED, text(failure="agent_crash"), tmp_path, lost=[CRASHED])

    status = conclude(run, interrupted=False, as_json=False)

    lines = capsys.readouterr().err.splitlines()
    assert status == PROBLEM
    assert lines[-1] == (
        "The agent failed in 3 of 3 episodes (agent_crash 3). Look at"
        f" `houseguest show {tmp_path} --guests` and at {logs / 'guest-0.log'}."
    )
    assert "  | ValueError: no such skill" in lines


def test_a_withdrawal_is_told_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = made_text(tasks=3)
    run = ended(
        RunState.CANCELLED,
        replace(base, episodes=base.episodes[:1]),
        tmp_path,
        withdrawals=("the model is gone",),
        stopped="the agent withdrew: the model is gone",
    )
    assert conclude(run, interrupted=False, as_json=False) == PROBLEM
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("The agent withdrew from 1 session; 2 episodes not played. Look at")


def test_json_has_the_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ended(RunState.SUCCEEDED, text(failure="agent_crash"), tmp_path, lost=[CRASHED])
    conclude(run, interrupted=False, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == PROBLEM
    assert document["problems"]["episodes"] == {"agent_crash": 3}
    assert document["problems"]["processes"] == {"agent_crash": 1}


def test_a_clean_run_ends_without_a_word_of_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        conclude(ended(RunState.SUCCEEDED, text(), tmp_path), interrupted=False, as_json=False) == 0
    )
    assert "Look at" not in capsys.readouterr().err


def test_without_a_summary_the_user_is_told_what_to_mend() -> None:
    with pytest.raises(Failure, match=r"runs/full.*same command goes on") as caught:
        conclude(ended(RunState.CANCELLED), interrupted=False, as_json=False)
    assert caught.value.exit_code == PROBLEM
