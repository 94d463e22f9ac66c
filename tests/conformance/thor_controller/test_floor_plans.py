"""The household world on AI2-THOR's floor plans, against what is known of the real ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.scene.library import standard_library
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.actions.reachable_positions import reachable
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.space.walkable_floor import floor_of
from env_service.worlds.household.simulation.visibility import AgentVisibility, StateRenderer
from env_service.worlds.household.state import HouseholdState
from tests.support.data import reference_data

pytestmark = pytest.mark.data

FOLDER = "ithor/dev/data/objects_metadata_samples"


def floor_plan(name: str) -> SceneSpec:
    return standard_library(reference_data(FOLDER)).load(name)


@pytest.mark.parametrize(
    ("name", "least"),
    [("FloorPlan12", 0.8), ("FloorPlan301", 0.8), ("FloorPlan203", 0.8), ("FloorPlan5", 0.6)],
)
def test_what_is_visible_at_the_start_is_what_the_real_one_called_visible(
    name: str, least: float
) -> None:
    scene = floor_plan(name)
    dump = json.loads((reference_data(FOLDER) / f"{name}_physics.json").read_text())
    told = {key for key, each in dump.items() if each["visible"]}
    renderer = choose("soft")
    state_renderer, state = StateRenderer(scene, renderer, renderer), HouseholdState.at_start(scene)

    def seen(yaw: float, horizon: float) -> set[str]:
        agent = replace(state.agent, yaw=yaw, horizon=horizon)
        sight = AgentVisibility(replace(state, agent=agent), Settings(), state_renderer)
        return {key for key in state.objects if sight.visible(key)}

    # the dumps do not tell where the agent looked
    headings = [seen(yaw, down) for yaw in (0.0, 90.0, 180.0, 270.0) for down in (0.0, 30.0)]
    assert max(len(each & told) / len(each | told) for each in headings) >= least


@pytest.mark.parametrize("name", ["FloorPlan12", "FloorPlan301", "FloorPlan201", "FloorPlan401"])
def test_most_points_that_could_be_reached_can_be(name: str) -> None:
    points = json.loads(reference_data("ithor/floorplan_reachable.json").read_text())[name]
    ours = {
        (round(point.x * 4), round(point.z * 4))
        for point in reachable(HouseholdState.at_start(floor_plan(name)), 0.25)
    }
    theirs = {(round(x * 4), round(z * 4)) for x, z in points}
    # those are of another version, and of rooms whose walls a dump does not tell
    assert len(ours & theirs) >= 0.75 * len(theirs)


@pytest.mark.parametrize("name", ["FloorPlan3", "FloorPlan12", "FloorPlan28", "FloorPlan406"])
def test_the_agent_fits_where_published_tasks_begin(name: str) -> None:
    plans = Path(reference_data("asgard/Generated/magt_benchmark"))
    scene, tried = floor_plan(name), 0
    floor = floor_of(HouseholdState.at_start(scene))
    for path in sorted(plans.glob(f"*{name}_V1*/plan.json")):
        plan = json.loads(path.read_text())
        if plan["scene"] == name:
            position = plan["initial_pose"]["position"]
            assert floor.fits(position["x"], position["z"]), path.parent.name
            tried += 1
    assert tried


def test_floor_plans_can_be_opened_by_their_short_names() -> None:
    library = standard_library(reference_data(FOLDER))
    with HouseholdController("FloorPlan12", library=library, renderer="soft") as thor:
        assert thor.last_event.metadata["sceneName"] == "FloorPlan12_physics"
        assert len(thor.last_event.metadata["objects"]) == 67
        assert thor.reset("FloorPlan301").metadata["sceneName"] == "FloorPlan301_physics"
