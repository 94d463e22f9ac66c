"""Recorded questions of AsgardBench as a user asks them: no simulator, no settings, one flag."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Ask, finish, houseguest, run_folder
from tests.support.data import reference_data

ASKED = ("--suite", "asgard", "--task-set", "recorded", "--tasks", "turn_on_tv__*")


@pytest.mark.data
def test_the_published_actions_agree_and_the_report_calls_it_that(
    place: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(place / "packs"))
    for name in ("asgard", "asgard-recorded"):
        ask("data", "import", name, str(reference_data(name)))

    script = place / "published.jsonl"
    ask("expert", *ASKED, "--jobs", "1", "--out", str(script))
    finish(houseguest(place, "run", *ASKED, "--agent", "scripted", "--actions", str(script)))
    folder = run_folder(place)
    episodes = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    assert [(each["success"], each["steps"]) for each in episodes] == [(True, 1)] * 4
    assert {each["metrics"]["next_action_agreement"] for each in episodes} == {1.0}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["task_set"], manifest["world"]) == ("recorded", "recorded")
    assert {pack["pack"] for pack in manifest["data"]} == {"asgard", "asgard-recorded"}

    told, _ = ask("verify", str(folder))
    assert "4 episodes replayed" in told
    told, _ = ask("report", str(folder), "--format", "text")
    assert "Agreement with the published next action" in told
    assert "Success" not in told
