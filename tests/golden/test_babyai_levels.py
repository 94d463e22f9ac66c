"""Our levels are the reference's levels, cell by cell and action by action."""

from __future__ import annotations

import json
from typing import Any

import pytest

from env_service.suites.babyai.suite import BabyAiSuite
from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.levels import LEVELS, ROOM_SIZE, Level
from env_service.worlds.babyai.world import BabyAiWorld
from tests.support.data import reference_data


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    path = reference_data("babybench/reference.json")
    found: list[dict[str, Any]] = json.loads(path.read_text())["babyai"]
    assert len(found) >= 80
    return found


def level_of(record: dict[str, Any]) -> Level:
    (level,) = [level for level in LEVELS.values() if level.environment_id == record["level"]]
    return level


def listed(world: BabyAiWorld) -> list[list[Any]]:
    """What lies in the grid, in the reference's form."""
    return sorted(
        [thing.kind, thing.color, x, y, *([thing.state] if thing.state else [])]
        for (x, y), thing in world.snapshot().things()
    )


def test_all_sixteen_levels_are_in_the_reference(records):
    assert {record["level"] for record in records} == {
        level.environment_id for level in LEVELS.values()
    }


def test_levels_equal_the_reference(records):
    for record in records:
        level = level_of(record)
        world = BabyAiWorld(level, record["seed"])
        start = world.snapshot()
        where = (record["level"], record["seed"])
        assert world.mission == record["mission"], where
        assert list(start.agent) == record["agent_pos"], where
        assert start.heading == record["agent_dir"], where
        assert [start.width, start.height] == record["grid"], where
        assert [level.rooms, level.rooms] == record["rooms"], where
        assert record["room_size"] == ROOM_SIZE, where
        assert world.max_steps == record["max_steps"], where
        assert listed(world) == sorted(record["objects"]), where


def test_the_references_actions_lead_where_they_lead_in_the_reference(records):
    played = 0
    for record in records:
        actions = record["actions"].split(", ")
        if not record["success"] or set(actions) - set(ACTIONS):
            continue
        world = BabyAiWorld(level_of(record), record["seed"])
        effects = [world.step(action) for action in actions]
        end = world.snapshot()
        where = (record["level"], record["seed"])
        assert effects[-1].solved, where
        assert not any(effect.over for effect in effects[:-1]), where
        assert list(end.agent) == record["final_pos"], where
        assert end.heading == record["final_dir"], where
        assert end.steps == record["steps"], where
        assert 1 - 0.9 * end.steps / world.max_steps == pytest.approx(record["reward"]), where
        played += 1
    assert played >= 70


def test_the_levels_that_other_minigrid_versions_change_are_the_ones_meant(records):
    del records
    path = reference_data("babybench/reference.json")
    differences = json.loads(path.read_text())["minigrid_3_2_0_env_differences"]
    assert len(differences) == 5
    for record in differences:
        world = BabyAiWorld(level_of(record), record["seed"])
        assert world.mission == record["pinned_mission"]


def test_tasks_of_equal_seed_and_layout_are_in_one_cluster_but_for_two_chance_meetings():
    clusters: dict[tuple[Any, ...], set[str]] = {}
    for task in BabyAiSuite().task_sets()["evaluation"].tasks:
        seed = task.data["seed"]
        start = BabyAiWorld(LEVELS[task.group], seed).snapshot()
        clusters.setdefault((seed, start.cells), set()).add(task.cluster)
    assert len(clusters) < 250  # many of the 320 tasks share their layout
    assert sorted(sorted(found) for found in clusters.values() if len(found) > 1) == [
        ["GoTo/71", "Synth/71"],
        ["GoToLocal/59", "GoToRedBall/59"],
    ]
