"""Openings of valid_seen in the household world: the trajectories say where things lie.

A handful, of rooms that differ between AI2-THOR's versions or that hide things; `houseguest alfred
setups` does them all.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.dataset.trajectories import read_trajectory
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.setup.opening import Prepared, ProblemKind, set_up
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.task import AlfredTask, Goal, ObjectPose, TaskType
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.data import reference_data

pytestmark = pytest.mark.data

TRIALS = {
    "trial_T20190909_081908_677973": "a cart that is a side table now",
    "trial_T20190907_165826_194855": "a dresser that is a side table now",
    "trial_T20190907_233056_022802": "tables that stand elsewhere now, dirty dishes",
    "trial_T20190909_193045_208933": "a start that is not free",
}
FOLDER = "alfred/data/json_2.1.0/valid_seen"


@pytest.fixture(autouse=True)
def _floor_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RENDERER, "none")
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    monkeypatch.setenv(FLOOR_PLANS, str(folder))


@cache
def text_of(trial: str) -> str:
    found = next(reference_data(FOLDER).glob(f"*/{trial}/traj_data.json"))
    return found.read_text()


def opened(trial: str) -> tuple[AlfredTask, Prepared, AlfredView]:
    read = read_trajectory(text_of(trial), trial)
    task = AlfredTask(trial, read.goal, read.setup)
    world = open_world("household", task.setup.scene, thor_start())
    try:
        return task, set_up(world, task), AlfredView(world.last_event.metadata)
    finally:
        world.stop()


def picked(trial: str) -> Iterator[tuple[str, Point, str]]:
    """What the demonstration picks up where it lay: its type, its place, and the type of what held
    it."""
    plan: list[Mapping[str, Any]] = json.loads(text_of(trial))["plan"]["high_pddl"]
    for action in (each["planner_action"] for each in plan):
        holder = action.get("coordinateReceptacleObjectId")
        kind, *place = action.get("objectId", "").split("|")
        if action["action"] == "PickupObject" and holder and len(place) == 3:
            yield kind, Point(*map(float, place)), holder[0]


@pytest.mark.parametrize("trial", TRIALS, ids=TRIALS.values())
def test_a_task_opens_as_it_was_recorded(trial: str) -> None:
    task, prepared, house = opened(trial)
    carried = [each for each in house.objects if each["pickupable"]]
    assert len(carried) == len(task.setup.poses)
    assert not {each.kind for each in prepared.problems} & {
        ProblemKind.ABSENT,
        ProblemKind.COPIED,
        ProblemKind.MET,
        ProblemKind.STATE,
        ProblemKind.TOGGLE,
    }
    if task.setup.dirty_and_empty:
        assert all(each["isDirty"] for each in house.objects if each["dirtyable"])
    for kind, place, holder in picked(trial):
        item = min(
            house.of_type(prepared.aliases.get(kind, kind)),
            key=lambda each: math.dist(Point.read(each["position"]), place),
        )
        outer = {each["objectType"] for each in house.parents(item)}
        assert prepared.aliases.get(holder, holder) in outer


def test_furniture_of_another_name_is_what_the_goal_means() -> None:
    cart, dresser, *_ = TRIALS
    assert opened(cart)[1].goal.parent == "SideTable"
    assert opened(cart)[1].aliases == {"Cart": "SideTable"}
    assert opened(dresser)[1].goal.parent == "SideTable"


def test_a_start_that_is_not_free_is_told_of() -> None:
    prepared = opened("trial_T20190909_193045_208933")[1]
    assert 0.0 < prepared.astray < 2.0
    assert ProblemKind.AGENT in {each.kind for each in prepared.problems}


def test_what_is_seen_from_nowhere_is_told_and_nothing_else_changes() -> None:
    trial = next(
        path.parent.name
        for path in sorted(reference_data(FOLDER).glob("*/*/traj_data.json"))
        if json.loads(path.read_text())["scene"]["floor_plan"] == "FloorPlan302"
    )
    read = read_trajectory(text_of(trial), trial)
    task = AlfredTask(trial, read.goal, read.setup)
    house = opened(trial)[2]
    world = open_world("household", task.setup.scene, thor_start())
    try:
        prepared = set_up(world, task, look_at_all=True)
        after = AlfredView(world.last_event.metadata)
    finally:
        world.stop()
    hidden = [each for each in prepared.problems if each.kind is ProblemKind.OUT_OF_REACH]
    assert hidden
    assert all("it is seen from nowhere, in or on Shelf" in each.reason for each in hidden)
    assert after.agent.position == house.agent.position
    assert (after.agent.yaw, after.agent.horizon) == pytest.approx(
        (house.agent.yaw, house.agent.horizon)
    )
    assert [each["isOpen"] for each in after.objects] == [each["isOpen"] for each in house.objects]


def card_in_safe() -> AlfredTask:
    """A task that poses a card in the middle of the safe of FloorPlan219, on its bottom."""
    trial = next(iter(TRIALS))
    setup = replace(
        read_trajectory(text_of(trial), trial).setup, scene="FloorPlan219", toggles=(), agent=None
    )
    world = open_world("household", setup.scene, thor_start())
    try:
        start = AlfredView(world.last_event.metadata)
    finally:
        world.stop()
    (safe,), (card, *_) = start.of_type("Safe"), start.of_type("CreditCard")
    box = safe["axisAlignedBoundingBox"]
    low = box["center"]["y"] - box["size"]["y"] / 2
    inside = Point(box["center"]["x"], low + 0.04, box["center"]["z"])
    pose = ObjectPose(card["name"], inside, Point(0.0, 0.0, 0.0))
    goal = Goal(TaskType.SIMPLE, "CreditCard", "Sofa")
    return AlfredTask("made", goal, replace(setup, poses=(pose,)))


def test_what_is_posed_low_in_a_safe_is_in_it_and_can_be_fetched() -> None:
    task = card_in_safe()
    world = open_world("household", task.setup.scene, thor_start())
    try:
        prepared = set_up(world, task, look_at_all=True)
        house = AlfredView(world.last_event.metadata)
        robot = Robot(world, EXACT, prepared.aliases)
        told = [
            robot.do(SkillStep(verb, kind))
            for verb, kind in (
                (Verb.FIND, "Safe"),
                (Verb.OPEN, "Safe"),
                (Verb.FIND, "CreditCard"),
                (Verb.PICK_UP, "CreditCard"),
            )
        ]
    finally:
        world.stop()
    (card,) = house.of_type("CreditCard")
    assert "Safe" in {each["objectType"] for each in house.parents(card)}
    assert prepared.problems == ()
    assert [each.message for each in told if not each.worked] == []
