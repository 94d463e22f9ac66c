"""Rows: they hold what is true of the level, and what LLM-BabyBench's own have."""

from __future__ import annotations

import json
from ast import literal_eval
from typing import Any

import pytest

from env_service.domain.observation import ObservationRequest
from env_service.suites.babybench.dataset.formats import QUESTIONS, Kind, columns_of
from env_service.suites.babybench.dataset.rows import levels_of, pick_levels
from env_service.suites.babybench.suite import BabyBenchSuite
from env_service.suites.base import EpisodeOrder
from env_service.suites.selection import settle_condition
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.records import ExpertMode
from env_service.worlds.babyai.world import BabyAiWorld
from tests.support.data import reference_data
from tests.unit.suites.babybench.dataset.recipes import recipe, row

KINDS: dict[Kind, type] = {
    Kind.TEXT: str,
    Kind.INTEGER: int,
    Kind.BOOLEAN: bool,
    Kind.TEXTS: list,
    Kind.DOORS: list,
    Kind.SUBGOALS: list,
}
PUBLISHED = {
    "predict": ["action_sequence", "target_state"],
    "plan": ["target_subgoal", "expert_action_sequence"],
    "decompose": ["mission", "help_count"],
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_row_has_a_value_of_the_right_kind_in_every_column(question: str) -> None:
    columns = columns_of(question)
    made = row(question, recipe(question).levels[0], 2)
    assert set(made) == {column.name for column in columns}
    assert len(made) == len(columns)
    for column in columns:
        assert type(made[column.name]) is KINDS[column.kind], column.name
        assert column.meaning


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_published_columns_come_first(question: str) -> None:
    published = [column.name for column in columns_of(question) if column.published]
    beginning = ["env_name", "seed", "env_description", "initial_state"]
    assert published == beginning + PUBLISHED[question]
    assert [column.name for column in columns_of(question)][: len(published)] == published


def test_predict_ends_where_the_actions_lead() -> None:
    made = row("predict", "GoToLocal", 3)
    world = BabyAiWorld(find_any_level("GoToLocal"), 3)
    start = world.snapshot()
    assert literal_eval(made["initial_state"]) == (start.agent, int(start.heading))
    for action in made["action_sequence"].split(", "):
        world.step(action)
    end = world.snapshot()
    assert literal_eval(made["target_state"]) == (end.agent, int(end.heading))
    assert made["expert_success"] is True
    assert made["expert_steps"] == end.steps
    assert made["max_steps"] == world.max_steps


def test_plan_tells_the_ball_and_the_things_in_the_way() -> None:
    made = row("plan", "Small-5Dists", 3)
    assert f"ball, color=red, position={made['target_subgoal']}" in made["env_description"]
    assert (made["things"], made["obstacles"], made["doors"]) == (6, 5, [])
    assert made["env_name"] == "CustomBabyAI-GoToRedBall-Small-5Dists-v0"
    assert (made["difficulty"], made["skills"]) == ("Small", [])
    assert 0 < made["shortest_steps"] <= made["expert_steps"]


def test_decompose_tells_help_both_ways_and_the_first_subgoals() -> None:
    made = row("decompose", "PutNextLocal", 2)
    assert made["help_count"] == made["help_initial"] + made["help_added"]
    assert len(made["initial_subgoals"]) == made["help_initial"] == 4
    first, taken, last, dropped = made["initial_subgoals"]
    assert [each["name"] for each in (first, taken, last, dropped)] == [
        "GoNextToSubgoal",
        "PickupSubgoal",
        "GoNextToSubgoal",
        "DropSubgoal",
    ]
    assert last["reason"] == "PutNext"
    assert f"position=({first['x']}, {first['y']})" in made["env_description"]
    assert (taken["x"], taken["y"]) == (None, None)
    assert made["expert_action_sequence"].split(", ")[-1] == "drop"


def test_doors_are_told_with_their_state() -> None:
    made = row("decompose", "Synth", 1079)
    doors = {(door["x"], door["y"]): door for door in made["doors"]}
    assert doors[6, 7] == {"color": "yellow", "x": 6, "y": 7, "state": "locked"}
    assert {door["state"] for door in doors.values()} == {"locked", "closed"}
    assert made["env_description"].count("- door,") == len(doors)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_row_names_the_task_that_asks_the_same(question: str) -> None:
    level = recipe(question).levels[0]
    made = row(question, level, 2)
    tasks = BabyBenchSuite().task_sets()[f"{question}-dataset"].tasks
    (task,) = (task for task in tasks if task.id == made["task_id"])
    assert (task.data["level"], task.data["seed"]) == (level, 2)
    assert task.data["question"] == made["question"] == question


@pytest.mark.parametrize("question", QUESTIONS)
def test_that_task_opens_with_the_rows_words(question: str) -> None:
    made = row(question, recipe(question).levels[0], 2)
    suite = BabyBenchSuite()
    tasks = suite.task_sets()[f"{question}-dataset"].tasks
    (task,) = (task for task in tasks if task.id == made["task_id"])
    condition = settle_condition(suite, {})
    request = suite.offer(condition).grant(ObservationRequest())
    first = suite.open_episode(EpisodeOrder(task, "babyai", condition, request, 0)).start()
    assert first.observation.text == made["env_description"]
    asked = {"predict": "action_sequence", "decompose": "mission"}
    assert question not in asked or made[asked[question]] in first.instruction


def test_the_formatter_is_followed() -> None:
    made = row("predict", "GoToObj", 2, formatter="json")
    assert json.loads(made["env_description"])["config"]["mission"] == made["mission"]
    assert made["formatter"] == "json"


def test_the_published_experts_failure_is_a_row_and_the_other_solves_it() -> None:
    as_published = row("predict", "SynthSeq", 0, expert=ExpertMode.COMPAT.value)
    assert as_published["expert_success"] is False
    assert as_published["action_sequence"].endswith("done, done")
    mended = row("predict", "SynthSeq", 0)
    assert mended["expert_success"] is True
    assert "done" not in mended["action_sequence"]


def test_levels_are_picked_by_either_name_in_the_benchmarks_order() -> None:
    assert pick_levels("predict", ()) == tuple(levels_of("predict"))
    assert pick_levels("predict", ("BabyAI-GoTo-v0", "GoToObj")) == ("GoToObj", "GoTo")
    assert len(levels_of("plan")) == 16


def _records(part: str) -> list[dict[str, Any]]:
    text = reference_data("babybench/reference.json").read_text(encoding="utf-8")
    records: list[dict[str, Any]] = json.loads(text)[part]
    return records


@pytest.mark.data
def test_rows_are_those_that_the_published_program_makes() -> None:
    for record in (*_records("babyai")[::5], *_records("plan")[::3]):
        name = find_any_level(record["level"]).name
        question = "plan" if record["level"].startswith("Custom") else "decompose"
        made = row(question, name, record["seed"], expert=ExpertMode.COMPAT.value)
        state = (tuple(record["agent_pos"]), record["agent_dir"])
        assert made["env_name"] == record["level"]
        assert made["initial_state"] == str(state)
        assert made["mission"] == record["mission"]
        assert made["expert_action_sequence"] == record["actions"]
        assert made["expert_success"] == record["success"]
        assert made["max_steps"] == record["max_steps"]
        if question == "decompose":
            assert made["help_count"] == record["help_count"]
            assert made["help_initial"] == record["help_initial"]
        doors = [entry for entry in record["objects"] if entry[0] == "door"]
        told = [[door["color"], door["x"], door["y"], door["state"]] for door in made["doors"]]
        assert told == [entry[1:] for entry in doors]
