"""``houseguest run`` with guests whose model costs money, and sometimes is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import (
    LAB,
    done,
    finish,
    houseguest,
    lines,
    orphans,
    run_folder,
    until,
)

GUEST = """
import pathlib, sys, time
from houseguest_agent import Client, ModelUsage, Trace, WithdrawReason

CALL = Trace(usage=(ModelUsage("m", 60, 40, cost_usd=0.25),))
with Client("costly") as client:
    for number, episode in enumerate(client.episodes()):
        episode.act("noop", trace=CALL)
        if number == 2 and pathlib.Path("down").exists():
            client.withdraw(WithdrawReason.MODEL_UNREACHABLE, "nobody at 127.0.0.1:8000", CALL)
            AFTERWARDS
        else:
            time.sleep(0.05)
            episode.act("win", trace=CALL)
"""
COMMAND = ("run", "--suite", LAB, "--limit", "8", "--agent", 'cmd:"python guest.py"')
PARALLEL = (*COMMAND, "--parallel", "2")


def prepare(place: Path, afterwards: str = "sys.exit(1)") -> None:
    (place / "guest.py").write_text(GUEST.replace("AFTERWARDS", afterwards), encoding="utf-8")


def withdrawn(place: Path, afterwards: str) -> None:
    """Plays until the guests find that their model is down."""
    prepare(place, afterwards)
    (place / "down").touch()
    out, err = finish(houseguest(place, *PARALLEL, "--json"), code=1)
    result = done(out)
    assert (result["state"], result["exit_code"]) == ("cancelled", 1)
    assert result["stopped"] == "the agent withdrew: nobody at 127.0.0.1:8000"
    stopped = "The run stopped and can be resumed: the agent withdrew: nobody at 127.0.0.1:8000"
    assert err.count(stopped) == 1
    assert orphans(place) == []
    summary = result["summary"]
    assert summary["failures"] == {}
    assert summary["withdrawn"] == {'cmd:"python guest.py"': {"episodes": 2, "acted": 2}}
    assert summary["uncounted_usage"]["calls"] == 4
    assert summary["overall"]["n"] == 4


@pytest.mark.parametrize("afterwards", ["sys.exit(0)", "time.sleep(600)", "pass"])
def test_a_guest_whose_model_is_down_stops_the_run(place: Path, afterwards: str) -> None:
    withdrawn(place, afterwards)


def test_a_run_that_a_guest_stopped_goes_on_when_its_model_is_up(place: Path) -> None:
    withdrawn(place, "sys.exit(1)")
    (place / "down").unlink()
    out, err = finish(houseguest(place, *PARALLEL))
    assert "4 already final" in err
    assert "8 of 8" in out
    assert "withdrawn by" in out
    told = "model, uncounted 4 calls, 240 tokens in, 160 out, $1.00"
    assert told in " ".join(out.split())
    finish(houseguest(place, "verify", str(run_folder(place)), "--suite", LAB))


def test_kill_9_keeps_what_was_spent(place: Path) -> None:
    prepare(place)
    journal = "episodes.jsonl"
    process = houseguest(place, *COMMAND)
    until(lambda: list((place / "runs").glob(f"*/{journal}")))
    until(lambda: len(lines(run_folder(place) / journal)) >= 3)
    process.kill()
    process.communicate()
    told = 0
    for transcript in (run_folder(place) / "transcripts").iterdir():
        told += sum('"usage":{"cached' in line for line in lines(transcript))
    assert told >= 6
    out, _ = finish(houseguest(place, *COMMAND, "--json", "--max-cost", "0.01"), code=1)
    assert f"{told} calls" in done(out)["stopped"]
    out, _ = finish(houseguest(place, *COMMAND, "--json"))
    summary = done(out)["summary"]
    assert summary["usage"]["calls"] == 16
    kept = [json.loads(line) for line in lines(run_folder(place) / "uncounted.jsonl")]
    assert {record["cause"] for record in kept} <= {"killed"}
    finish(houseguest(place, "verify", str(run_folder(place)), "--suite", LAB))
