"""ProcTHOR houses as scenes."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import SceneLibrary
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene.thor_metadata import Capture, scene_from_metadata
from tests.support.small_home import Homes
from tests.support.thor_house import AGENT, HEIGHT, house, house_objects
from tests.support.thor_objects import thor_object, xyz

NAME = "procthor-train-0"


def scene(objects: list[dict[str, Any]] | None = None, **changes: Any) -> SceneSpec:
    """The made house, with other objects or keys of its description if wanted."""
    agent = {"position": xyz(AGENT), "rotation": xyz((0.0, 90.0, 0.0))}
    listed = house_objects() if objects is None else objects
    return scene_from_metadata(NAME, listed, Capture(agent, house=house(**changes)))


def openings(made: SceneSpec) -> dict[tuple[float, float], list[tuple[float, ...]]]:
    """The holes of the walls that have any, by the middle of the wall, (x, z)."""
    return {
        (part.body.center.x, part.body.center.z): list(dict(part.details)["openings"])  # type: ignore[arg-type]
        for part in made.structure
        if part.type == "Wall" and part.details
    }


def test_its_rooms_make_one_scene() -> None:
    made = scene()
    assert made.bounds.size.tuple() == pytest.approx((7.0, HEIGHT, 4.0))
    assert made.bounds.center.tuple() == pytest.approx((3.5, HEIGHT / 2, 2.0))
    assert {light.position.x for light in made.lights} >= {2.0, 5.5}


def test_a_wall_between_two_rooms_is_built_once() -> None:
    walls = [part for part in scene().structure if part.type == "Wall"]
    assert len(walls) == 7
    places = {(wall.body.center.x, wall.body.center.z) for wall in walls}
    assert len(places) == 7
    assert (4.0, 2.0) in places


def test_doors_and_windows_are_holes_of_their_walls() -> None:
    holes = openings(scene())
    assert holes == {
        (4.0, 2.0): [pytest.approx((-0.5, 0.0, 0.5, 2.1))],
        (0.0, 2.0): [pytest.approx((-0.6, 1.0, 0.6, 2.0))],
    }


def test_where_the_house_does_not_say_the_nearest_wall_has_the_hole() -> None:
    holes = openings(scene(doors=[], windows=[]))
    assert list(holes) == [(0.0, 2.0)]  # an open door may stand for any wall around it


def test_a_wall_in_name_only_is_none() -> None:
    walls = [{**wall, "empty": wall["id"] in ("wall|1|e", "wall|2|w")} for wall in house()["walls"]]
    made = scene(walls=walls)
    assert (4.0, 2.0) not in {(p.body.center.x, p.body.center.z) for p in made.structure}


def test_parts_of_the_building_are_no_objects() -> None:
    made = scene()
    assert {spec.type for spec in made.objects} == {
        "Bed", "DiningTable", "Floor", "Fridge", "Window",
    }  # fmt: skip
    assert made.by_id["room|1"].contents == ("Fridge|1|0",)
    assert made.by_id["Fridge|1|0"].parents == ("room|1",)


def test_what_no_floor_plan_has_is_furniture() -> None:
    size, where = (0.6, 0.9, 0.8), (0.3, 0.45, 3.0)
    washer = thor_object("WashingMachine", where, size, agent=AGENT, rotation=(0.0, 90.0, 0.0),
                         objectId="WashingMachine|1|2")  # fmt: skip
    towel = thor_object("Cloth", (0.3, 0.95, 3.0), (0.1, 0.1, 0.1), agent=AGENT, oriented=True,
                        parentReceptacles=["WashingMachine|1|2"])  # fmt: skip
    made = scene(objects=[*house_objects(), washer, towel])
    (piece,) = [part for part in made.structure if part.name == "WashingMachine|1|2"]
    assert piece.type == "Dishwasher"
    assert piece.body.size.tuple() == pytest.approx((0.8, 0.9, 0.6))
    assert piece.body.bounds().size.tuple() == pytest.approx(size)
    assert made.by_id[towel["objectId"]].parents == ()


def test_the_agent_goes_through_the_door() -> None:
    library = SceneLibrary([_Source()])
    with HouseholdController(NAME, library=library, renderer="none") as controller:
        event = controller.step("GetReachablePositions")
        reached = {(p["x"], p["z"]) for p in event.metadata["actionReturn"]}
    assert any(x < 3.5 for x, _ in reached)
    assert any(x > 4.5 for x, _ in reached)
    assert not any(3.9 < x < 4.1 and abs(z - 2.0) > 0.4 for x, z in reached)


def test_the_household_world_builds_no_house() -> None:
    with HouseholdController(
        NAME, library=SceneLibrary([_Source()]), renderer="none"
    ) as controller:
        with pytest.raises(ValueError, match="cannot build houses"):
            controller.reset(house())
        assert controller.step("Pass").metadata["sceneName"] == NAME


class _Source(Homes):
    """A source with the house alone."""

    def __init__(self) -> None:
        super().__init__(scene())
