"""What AI2-THOR 5.0.0 calls what 2.1.0 called otherwise."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.setup.opening import ALIASES, aliases_here, goal_under
from env_service.suites.alfred.task import Goal, TaskType


def house(scene: str, *types: str) -> AlfredView:
    objects = [{"objectId": f"{kind}|1", "objectType": kind} for kind in types]
    return AlfredView({"sceneName": scene, "objects": objects})


def test_a_glassbottle_is_a_bottle_in_every_scene():
    for scene in ("FloorPlan10_physics", "household-kitchen-1"):
        assert aliases_here(house(scene, "Bottle", "Mug")) == {"Glassbottle": "Bottle"}


def test_a_type_that_is_there_needs_no_other_name():
    assert aliases_here(house("FloorPlan10_physics", "Bottle", "Glassbottle")) == {}
    assert aliases_here(house("FloorPlan305_physics", "SideTable", "Dresser")) == {}


@pytest.mark.parametrize("scene", ["FloorPlan305", "FloorPlan305_physics"])
def test_furniture_has_another_name_only_where_it_is_known_to_stand(scene):
    assert aliases_here(house(scene, "SideTable")) == {"Dresser": "SideTable"}
    assert aliases_here(house("FloorPlan306_physics", "SideTable")) == {}


def test_the_goal_names_what_is_there():
    goal = Goal(TaskType.TWO, "Glassbottle", "Cart")
    aliases = {"Glassbottle": "Bottle", "Cart": "SideTable"}
    assert goal_under(goal, aliases) == Goal(TaskType.TWO, "Bottle", "SideTable")
    assert goal_under(goal, {}) == goal


def test_no_alias_leads_to_another_alias():
    assert not {each.old for each in ALIASES} & {each.new for each in ALIASES}
