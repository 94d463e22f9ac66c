"""What a run came to, in words and as an exit status."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from rich.console import Console

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.run_outcome import conclude, exit_status
from env_service.cli.show import print_lost_guests
from env_service.domain.failure import AgentLossClass, EpisodePosition, LostAgent, ProtocolViolation
from env_service.evaluation.lost_agents import report_lost
from env_service.evaluation.run_problems import RunProblems
from env_service.gateway.run_state import RunState
from env_service.results.run_notes import AgentFailures
from env_service.results.run_reader import RunContents
from env_service.results.summary import Summary
from tests.support.made_run import made_record, made_text

to_stderr = partial(click.echo, err=True)

ENDING_CRASHED = LostAgent(
    AgentLossClass.AGENT_CRASH, (0,), 1, 0, "Traceback\nValueError: no such skill"
)
LEFT = LostAgent(AgentLossClass.AGENT_LOST, (0,), 0, 0, "goodbye")


def text(**changes: object) -> RunContents:
    """A run of three tasks, all won but for the changes to their records."""
    base = made_text(tasks=3)
    records = [made_record(number, success=not changes, **changes) for number in range(3)]
    return replace(base, episodes=tuple(records))


def ended(
    state: RunState,
    run: RunContents | None = None,
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
        "context": SimpleNamespace(folder=place),
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
        ({"lost": [ENDING_CRASHED]}, PROBLEM),
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
    AgentFailures(logs).note(ENDING_CRASHED)
    (logs / "guest-0.log").write_text("Traceback\nValueError: no such skill\n")
    run = ended(RunState.SUCCEEDED, text(failure="agent_crash"), tmp_path, lost=[ENDING_CRASHED])

    status = conclude(run, interrupted=False, as_json=False)

    lines = capsys.readouterr().err.splitlines()
    assert status == PROBLEM
    assert lines[-1] == (
        "The agent failed in 3 of 3 episodes (agent_crash 3). For details:"
        f" houseguest show {tmp_path} --guests; log: {logs / 'guest-0.log'}"
    )
    assert "  | ValueError: no such skill" in lines


def test_episodes_that_only_the_service_lost_point_to_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "guest-0.log").write_text("The agent did nothing wrong.\n")
    (logs / "service.log").write_text("RuntimeError: disk on fire\n")
    base = made_text(tasks=3)
    lost = replace(base.episodes[0], fault="service_fault", failure=None, success=False)
    run = ended(RunState.SUCCEEDED, replace(base, episodes=(lost, *base.episodes[1:])), tmp_path)
    assert conclude(run, interrupted=False, as_json=False) == PROBLEM
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"1 episode without a score. For details: houseguest show {tmp_path} --failures;"
        f" log: {logs / 'service.log'}"
    )


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
    assert last.startswith("The agent withdrew from 1 session; 2 episodes not played. For details:")


def test_json_has_the_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ended(RunState.SUCCEEDED, text(failure="agent_crash"), tmp_path, lost=[ENDING_CRASHED])
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
    assert "For details" not in capsys.readouterr().err


def test_without_a_summary_the_user_is_told_what_to_mend() -> None:
    with pytest.raises(Failure, match=r"runs/full.*same command to continue") as caught:
        conclude(ended(RunState.CANCELLED), interrupted=False, as_json=False)
    assert caught.value.exit_code == PROBLEM


# --- How lost guests are told of

PLACE = EpisodePosition("ep-1", "asgard/cook_1", 7)
LOST_CRASHED = LostAgent(
    AgentLossClass.AGENT_CRASH, (0,), 7, 0, "one\nKeyError: 'mug'", position=PLACE, final=True
)


def test_a_crash_is_told_with_its_step_and_last_words(capsys: pytest.CaptureFixture[str]) -> None:
    told = report_lost([LOST_CRASHED], stops_run=False, say=to_stderr)
    assert told == (
        "agent_crash: the agent of session 0 crashed, exit code 7,"
        " last seen at step 7 of asgard/cook_1 (ep-1): KeyError: 'mug'"
    )
    assert "Its last output:\none\nKeyError: 'mug'\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (
            "one\nKeyError: 'mug'\n",
            "Last output of the agent of session 0:\none\nKeyError: 'mug'\n",
        ),
        ("cannot start agent", ""),
        ("", "The agent of session 0 printed nothing.\n"),
    ],
)
def test_the_reason_why_a_run_stopped_is_left_to_its_end(
    printed: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    why = report_lost([replace(LOST_CRASHED, log_tail=printed)], stops_run=True, say=to_stderr)
    assert why.startswith("agent_crash: the agent of session 0 crashed, exit code 7")
    assert capsys.readouterr().err == shown


def test_those_that_were_lost_alike_are_told_of_together() -> None:
    lost = [replace(LOST_CRASHED, sessions=(number,), position=None) for number in (2, 0, 1)]
    told = report_lost(lost, stops_run=False, say=to_stderr)
    assert told.startswith("agent_crash: the agent of sessions 0, 1, 2 crashed")


def test_what_was_first_refused_is_told_rather_than_where_it_was_last() -> None:
    offence = ProtocolViolation("STEP_OUT_OF_ORDER", "Step 9; the next one is 7.", PLACE)
    kind = AgentLossClass.PROTOCOL_ERROR
    told = report_lost(
        [replace(LOST_CRASHED, failure=kind, offence=offence, exit_code=None)],
        stops_run=False,
        say=to_stderr,
    )
    assert "first refused at step 7 of asgard/cook_1 (ep-1) as STEP_OUT_OF_ORDER" in told
    assert "last seen" not in told


def test_a_guests_own_words_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    told = report_lost(
        [replace(LOST_CRASHED, log_tail="\x1b[2Jgone", problem="\x07")],
        stops_run=False,
        say=to_stderr,
    )
    assert "\x1b" not in told + capsys.readouterr().err
    assert "\x07" not in told


def test_show_lists_them() -> None:
    console = Console(file=io.StringIO(), width=60)
    print_lost_guests(console, [LOST_CRASHED.to_json(), {"failure": "agent_oom"}])
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    first = "agent_crash, session 0: exit code 7, step 7 of asgard/cook_1 (ep-1), given up"
    assert first in printed
    assert "  | KeyError: 'mug'" in printed
    assert "agent_oom" in printed


def test_show_says_that_none_was_lost() -> None:
    console = Console(file=io.StringIO())
    print_lost_guests(console, [])
    assert "No agent process failed." in console.file.getvalue()  # type: ignore[attr-defined]
