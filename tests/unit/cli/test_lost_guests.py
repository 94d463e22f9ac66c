"""How lost guests are told of."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from env_service.cli.run_lost import tell_lost
from env_service.cli.show_guests import print_lost_guests
from env_service.domain.failure import GuestFailureClass
from env_service.domain.guest_failure import LostGuest, Offence, Place

PLACE = Place("ep-1", "asgard/cook_1", 7)
CRASHED = LostGuest(
    GuestFailureClass.AGENT_CRASH, (0,), 7, 0, "one\nKeyError: 'mug'", place=PLACE, final=True
)


def test_a_crash_is_told_with_its_step_and_last_words(capsys: pytest.CaptureFixture[str]) -> None:
    told = tell_lost([CRASHED])
    assert told == (
        "agent_crash: the agent of session 0 crashed, exit code 7,"
        " last seen at step 7 of asgard/cook_1 (ep-1): KeyError: 'mug'"
    )
    assert "Its last lines:\none\nKeyError: 'mug'\n" in capsys.readouterr().err


def test_those_that_were_lost_alike_are_told_of_together() -> None:
    lost = [replace(CRASHED, seats=(number,), place=None) for number in (2, 0, 1)]
    assert tell_lost(lost).startswith("agent_crash: the agent of sessions 0, 1, 2 crashed")


def test_what_was_first_refused_is_told_rather_than_where_it_was_last() -> None:
    offence = Offence("STEP_OUT_OF_ORDER", "Step 9; the next one is 7.", PLACE)
    kind = GuestFailureClass.PROTOCOL_ERROR
    told = tell_lost([replace(CRASHED, failure=kind, offence=offence, exit_code=None)])
    assert "first refused at step 7 of asgard/cook_1 (ep-1) as STEP_OUT_OF_ORDER" in told
    assert "last seen" not in told


def test_a_guests_own_words_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    told = tell_lost([replace(CRASHED, log_tail="\x1b[2Jgone", problem="\x07")])
    assert "\x1b" not in told + capsys.readouterr().err
    assert "\x07" not in told


def test_show_lists_them() -> None:
    console = Console(file=io.StringIO(), width=60)
    print_lost_guests(console, [CRASHED.to_json(), {"failure": "agent_oom"}])
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    first = "agent_crash, session 0: exit code 7, step 7 of asgard/cook_1 (ep-1), given up"
    assert first in printed
    assert "  | KeyError: 'mug'" in printed
    assert "agent_oom" in printed


def test_show_says_that_none_was_lost() -> None:
    console = Console(file=io.StringIO())
    print_lost_guests(console, [])
    assert "No guest was lost." in console.file.getvalue()  # type: ignore[attr-defined]
