"""What was put into a fridge or a microwave is there again once that was closed and opened, and can
be taken from the same spot, without another `find`."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.rules import EXACT
from env_service.suites.alfred.skills.robot import Robot
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.worlds.ai2thor_api.floor_plans import VARIABLE as FLOOR_PLANS
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.household.render.selection import VARIABLE as RENDERER
from tests.support.data import reference_data

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("scene", "item", "into"),
    [
        ("FloorPlan25", "bread", "fridge"),
        ("FloorPlan2", "potato", "fridge"),
        ("FloorPlan2", "potato", "microwave"),
    ],
)
def test_what_is_put_away_can_be_taken_out_from_the_same_spot(
    scene: str, item: str, into: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RENDERER, "none")
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    monkeypatch.setenv(FLOOR_PLANS, str(folder))
    world = open_world("household", scene, thor_start())
    plan = (
        f"find a {item}",
        f"pick up the {item}",
        f"find a {into}",
        f"open the {into}",
        f"put down the {item}",
        f"close the {into}",
        f"open the {into}",
        f"pick up the {item}",
    )
    try:
        robot = Robot(world, EXACT, {})
        steps = [step for said in plan if (step := parse_skill(said)) is not None]
        results = [robot.do(step) for step in steps]
        held = robot.view.held
    finally:
        world.stop()
    assert len(steps) == len(plan)
    assert [each.message for each in results if not each.worked] == []
    assert held is not None
    assert held["objectType"] == item.capitalize()
