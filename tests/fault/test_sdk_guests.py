"""The guests that come with the service, each as a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from houseguest.agent.v1 import agent_pb2 as pb

from tests.support.fake_service import TOKEN, FakeService, Script

AGENTS = Path(__file__).parents[2] / "agents"


def play(service: FakeService, guest: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {"HOUSEGUEST_ADDRESS": service.address, "HOUSEGUEST_TOKEN": TOKEN, **environment}
    return subprocess.run(
        [sys.executable, "agent.py"],
        cwd=AGENTS / guest,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=True,
        timeout=180,
    )


def a_script(**changes: Any) -> str:
    opening = {
        "instruction": "walk 5 steps",
        "text": "0 steps walked",
        "images": [hashlib.sha256(bytes(range(6))).hexdigest()],
    }
    actions = [{"skill": "forward", "arguments": {}}, {"text": "go on"}]
    return json.dumps({"task": "walk/1", "opening": {**opening, **changes}, "actions": actions})


@pytest.mark.parametrize("mode", [pb.MODE_STEPWISE, pb.MODE_PLAN])
def test_random_plays_every_episode_to_its_end(tmp_path: Path, mode: pb.Mode.ValueType) -> None:
    with FakeService(tmp_path, Script(episodes=3, mode=mode)) as service:
        play(service, "random", HOUSEGUEST_SEED="3")
        assert len(service.executed) == 15
        assert service.ended == {}


def test_random_draws_the_same_again(tmp_path: Path) -> None:
    played = []
    for _ in range(2):
        with FakeService(tmp_path, Script(steps=20)) as service:
            play(service, "random", HOUSEGUEST_SEED="3")
            played.append(service.executed)
    assert played[0] == played[1]


def test_scripted_plays_its_list_and_says_done(tmp_path: Path) -> None:
    actions = tmp_path / "expert.jsonl"
    actions.write_text(a_script())
    with FakeService(tmp_path) as service:
        play(service, "scripted", HOUSEGUEST_ACTIONS=str(actions))
        first, second = (executed[2] for executed in service.executed)
        assert first.skill.name == "forward"
        assert second.text == "go on"
        assert service.ended["episode-0"][0] == pb.END_REASON_AGENT_DONE


def test_scripted_gives_up_what_it_does_not_know(tmp_path: Path) -> None:
    actions = tmp_path / "expert.jsonl"
    actions.write_text(a_script(text="another room"))
    with FakeService(tmp_path) as service:
        guest = play(service, "scripted", HOUSEGUEST_ACTIONS=str(actions))
        assert "walk 5 steps" in guest.stderr
        assert service.executed == []
        assert service.ended["episode-0"] == (
            pb.END_REASON_AGENT_GAVE_UP,
            "no script has this opening",
        )
