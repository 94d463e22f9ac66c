"""The agent `local` with tiny random models: they fail, and what they did is on record."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import (
    done,
    finish,
    houseguest,
    lines,
    orphans,
    run_folder,
    until,
)
from tests.support.tiny_models import picture_model, text_model

RUN = ("run", "--suite", "babyai", "--tasks", "GoToObj", "--agent", "local", "--json")
SMALL = {"num_hidden_layers": 1, "hidden_size": 32, "intermediate_size": 32}
pytestmark = pytest.mark.new_processes  # the command line of a clone does not show the agent
QUICK = ("--model", "model", "--history", "0", "--reply-tokens", "8")


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def episodes(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(run_folder(place) / "episodes.jsonl")]


def log(place: Path) -> str:
    """What the agent has written so far."""
    found = list((place / "runs").glob("*/logs/guest-0.log"))
    return found[0].read_text(encoding="utf-8") if found else ""


def guest_process(place: Path) -> int:
    """The process id of the agent."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode()
            if (entry / "cwd").readlink() == place and "local/agent.py" in command:
                return int(entry.name)
        except OSError:
            continue
    return 0


def test_one_process_plays_all_sessions_and_is_replaced_when_it_dies(place: Path) -> None:
    picture_model(place / "model")
    seen = ("--limit", "3", "--parallel", "2", "--set", "observation=text+picture")
    process = houseguest(place, *RUN, *QUICK, *seen, "--choose")
    until(lambda: log(place).count("episode 1: ") == 2 and "  5. " in log(place))
    os.kill(guest_process(place), signal.SIGKILL)
    out, _ = finish(process, code=1)
    assert done(out)["summary"]["overall"]["n"] == 3
    failures = sorted(each["failure"] for each in episodes(place))
    assert failures == ["agent_crash", "agent_crash", "max_steps"]
    # Two sessions and one process, twice: the sessions of the first began together.
    assert len(list((run_folder(place) / "logs").glob("guest-*.log"))) == 1
    assert log(place).count("episode 1: ") == 3
    (whole,) = (each for each in episodes(place) if each["failure"] == "max_steps")
    assert whole["metrics"]["unparsable"] == 0
    usage = whole["usage"]
    assert min(usage["calls"], usage["images"]) >= whole["steps"]
    assert min(usage["input_tokens"], usage["output_tokens"], usage["seconds"]) > 0
    declared = json.loads((run_folder(place) / "manifest.json").read_text())["declared"]
    for each in declared:
        assert each["model"] == "model"
        assert each["configuration"]["choose"] == "on"
        assert len(each["configuration"]["fingerprint"]) == 64


def test_a_model_that_is_not_there_stops_the_run_with_the_reason(place: Path) -> None:
    out, err = finish(houseguest(place, *RUN, "--model", "some/model", "--limit", "1"), code=1)
    assert "hf download some/model" in out + err
    assert log(place).count("leaving the run") == 1


def test_ctrl_c_leaves_nothing_behind(place: Path) -> None:
    text_model(place / "model", **SMALL)
    process = houseguest(place, *RUN, *QUICK, "--limit", "2", "--parallel", "2", "--choose")
    until(lambda: "  5. " in log(place))
    process.send_signal(signal.SIGINT)
    finish(process, code=130)
    until(lambda: not orphans(place))
