"""A worker of the queue is killed, or its submission is cancelled, in the middle of a run."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from tests.support.command_line import ROOT, finish, houseguest, lines, orphans, until
from tests.support.submitted import LAB, agent_folder

PHASES = f"""
[slow]
suite = "{LAB}"
task_sets = ["lab"]
sandbox = "process"
check = false
"""
PLAYS = """
import time
from houseguest_agent import Client

with Client("plays", "1.0") as client:
    for episode in client.episodes():
        time.sleep(0.1)
        episode.act("win")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A queue with one submission that takes some seconds."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    agent_folder(tmp_path / "agent", code=PLAYS)
    (tmp_path / "queue").mkdir()
    (tmp_path / "queue" / "phases.toml").write_text(PHASES, encoding="utf-8")
    with chdir(tmp_path):
        assert run(["queue", "add", "./agent", "--team", "a", "--phase", "slow"]) == 0
    return tmp_path


def job(place: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(place / "queue" / "private" / "queue.sqlite")) as database:
        database.row_factory = sqlite3.Row
        return dict(database.execute("SELECT * FROM jobs").fetchone())


def episodes(place: Path) -> list[str]:
    found = list((place / "queue" / "private").glob("sub-*/runs/*/episodes.jsonl"))
    return lines(found[0]) if found else []


def test_another_worker_goes_on_where_one_was_killed(place: Path) -> None:
    killed = houseguest(place, "queue", "work", "--json")
    until(lambda: len(episodes(place)) >= 3)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    before = episodes(place)
    assert job(place)["state"] == "running"
    out, _ = finish(houseguest(place, "queue", "work", "--json"))
    (done,) = json.loads(out)
    assert (done["state"], done["tries"]) == ("scored", 2), done
    after = episodes(place)
    assert after[: len(before)] == before, "nothing that was final was played again"
    assert len(after) == 50
    assert done["result"]["overall"]["over_all_planned"]["successes"] == 50
    until(lambda: not orphans(place))


def test_ctrl_c_puts_a_submission_back(place: Path) -> None:
    stopped = houseguest(place, "queue", "work")
    until(lambda: episodes(place))
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=180)
    assert stopped.returncode == 130, err
    assert (job(place)["state"], job(place)["tries"]) == ("queued", 0)
    until(lambda: not orphans(place))


def test_a_submission_that_is_cancelled_is_stopped(place: Path) -> None:
    working = houseguest(place, "queue", "work", "--lease", "1", "--json")
    until(lambda: episodes(place))
    with chdir(place):
        assert run(["queue", "cancel", job(place)["id"]]) == 0
    (done,) = json.loads(finish(working)[0])
    assert done["state"] == "cancelled"
    assert len(episodes(place)) < 50
    until(lambda: not orphans(place))
