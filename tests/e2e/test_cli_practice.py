"""`houseguest practice` as a user meets it."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from houseguest_agent.gymnasium import HouseguestEnv

from tests.support.command_line import LAB, Ask, finish, houseguest, until


def test_it_opens_leases_until_it_is_told_to_stop(place: Path) -> None:
    process = houseguest(
        place, "practice", LAB, "lab/3", "lab/4", "--sessions", "2", "--seed", "7", "--json"
    )
    assert process.stdout is not None
    launch = json.loads(process.stdout.readline())
    assert (launch["event"], launch["suite"], launch["task_set"]) == ("launch", "lab", "lab")
    assert launch["task_ids"] == ["lab/3", "lab/4"]
    for token, task in zip(launch["tokens"], launch["task_ids"], strict=True):
        env = HouseguestEnv(address=launch["address"], token=token, actions="text")
        assert env.reset()[0]["text"].startswith(f"{task} ")
        assert env.step("win")[1] == 1.0
        env.close()
    process.send_signal(signal.SIGINT)
    assert finish(process) == ("", "")
    assert not (place / "runs").exists()
    assert not Path(launch["address"].removeprefix("unix:")).parent.exists()


def test_tokens_that_are_written_are_not_shown(place: Path) -> None:
    process = houseguest(place, "practice", LAB, "--listen", f"unix:{place}/a", "--seats", "seats")
    token = place / "seats" / "seat-0"
    until(token.exists)
    env = HouseguestEnv(address=f"unix:{place}/a", token=token.read_text(), actions="text")
    env.close()
    process.send_signal(signal.SIGTERM)
    out, err = finish(process)
    assert out.splitlines() == [
        "Practice of lab in light: lab/0",
        f"  HOUSEGUEST_ADDRESS=unix:{place}/a",
        "  HOUSEGUEST_TOKEN=$(cat seats/seat-0)",
        "Press Ctrl-C to stop.",
    ]
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("babay",), "Did you mean 'babyai'"),
        (("babyai", "GoToLocl"), "Did you mean 'GoToLocal'"),
        (("babyai", "--set", "vew=full"), "Did you mean 'view'"),
        (("babyai", "--task-set", "evalution"), "Did you mean 'evaluation'"),
        (("babyai", "--world", "babyia"), "Did you mean 'babyai'"),
        (("nowhere:Suite",), "cannot be loaded"),
        (("babyai", "--sessions", "0"), "0 is not from 1 to 1024"),
        (("babyai", "--listen", "somewhere"), "is not an address"),
        ((), "Missing argument 'SUITE'"),
    ],
)
def test_what_cannot_be_practised_says_why(ask: Ask, arguments: tuple[str, ...], said: str) -> None:
    assert said in ask("practice", *arguments, code=2)[1]
