"""Showers, tubs and sinks of a bathroom from metadata: what their builders are told."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, request_for
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from tests.support.thor_objects import thor_object

NAME = "FloorPlan403_physics"


def bathroom(*more: dict[str, Any]) -> SceneSpec:
    """A room of 4 by 4 metres around the origin with a tub along the north wall."""
    items = [
        thor_object("Floor", (0, -0.05, 0), (4.2, 0.1, 4.2), position=(0, 0, 0)),
        thor_object("LightSwitch", (0.6, 1.2, -2.0), (0.1, 0.15, 0.02), assetId="Light_Switch_4"),
        thor_object("Painting", (-2.0, 1.5, 0.5), (0.02, 0.5, 0.5)),
        thor_object("Painting", (2.0, 1.5, 0.5), (0.02, 0.5, 0.5)),
        thor_object("Painting", (-1.0, 1.9, 2.0), (0.5, 0.5, 0.02)),
        thor_object("Bathtub", (-0.95, 0.3, 1.55), (2.0, 0.6, 0.8)),
        *more,
    ]
    return scene_from_metadata(NAME, items)


def one(scene: SceneSpec, kind: str) -> ObjectSpec:
    return next(spec for spec in scene.objects if spec.type == kind)


def rows(spec: ObjectSpec, key: str) -> tuple[tuple[float, ...], ...]:
    found = dict(spec.details)[key]
    assert isinstance(found, tuple)
    return found


def ahead(spec: ObjectSpec) -> tuple[float, float]:
    way = spec.body.rotation.apply(Vec3(0.0, 0.0, 1.0))
    return round(way.x, 6) + 0.0, round(way.z, 6) + 0.0


def test_a_curtain_hangs_on_a_rod_along_its_tub():
    curtain = thor_object(
        "ShowerCurtain", (0.2, 1.3, 1.15), (0.43, 1.9, 0.37), position=(0.4, 2.2, 1.15)
    )
    spec = one(bathroom(curtain), "ShowerCurtain")
    assert ahead(spec) == (0.0, -1.0)
    ((start, end),) = rows(spec, "rod")
    # facing -z, the asset's x runs against the room's
    assert (0.2 - end, 0.2 - start) == pytest.approx((-1.99, 0.415), abs=0.03)
    assert dict(spec.details)["hinge"] == "right"


def test_a_door_has_its_hinge_at_its_origin():
    for x, hinge in ((0.9, "left"), (1.7, "right")):
        door = thor_object("ShowerDoor", (1.3, 1.0, 0.9), (0.8, 2.0, 0.05), position=(x, 1.0, 0.9))
        spec = one(bathroom(door), "ShowerDoor")
        assert ahead(spec) == (0.0, -1.0)
        assert dict(spec.details)["hinge"] == hinge


def test_glass_around_a_corner_leaves_out_walls_and_doors():
    glass = thor_object("ShowerGlass", (1.5, 1.0, 1.4), (1.0, 2.0, 1.2))
    door = thor_object("ShowerDoor", (1.6, 1.0, 0.8), (0.8, 2.0, 0.05), position=(2.0, 1.0, 0.8))
    spec = one(bathroom(glass, door), "ShowerGlass")
    lines = rows(spec, "panes")
    lengths = sorted(round(abs(line[2] - line[0]) + abs(line[3] - line[1]), 2) for line in lines)
    assert lengths == [0.2, 1.2]


def test_a_basin_stays_within_its_tub():
    basin = thor_object("BathtubBasin", (-0.95, 0.3, 0.8), (1.8, 0.4, 3.0))
    scene = bathroom(basin)
    hollow, tub = one(scene, "BathtubBasin").body.bounds(), one(scene, "Bathtub").body.bounds()
    assert abs(hollow.center.z - tub.center.z) + hollow.size.z / 2 < tub.size.z / 2
    assert hollow.size.x == pytest.approx(1.8)
    assert one(scene, "BathtubBasin").bounds.size.z == 3.0


def test_a_hollow_of_a_tub_is_built_as_one_whatever_its_type():
    scene = bathroom(thor_object("SinkBasin", (-0.95, 0.3, 1.55), (1.8, 0.4, 0.5)))
    assert request_for(one(scene, "SinkBasin"), scene.palette).type == "BathtubBasin"
    assert len(rows(one(scene, "Bathtub"), "basins")) == 1
    assert not any(part.type == "BathtubBasin" for part in scene.structure)


def vanity(sink_low: float, basin_low: float) -> SceneSpec:
    """A counter at a height of 0.8 m with one ceramic sink."""
    return bathroom(
        thor_object("CounterTop", (-1.0, 0.81, -1.7), (1.4, 0.02, 0.6)),
        thor_object("Sink", (-1.0, sink_low + 0.07, -1.7), (0.6, 0.14, 0.4), assetId="Sink_4"),
        thor_object("SinkBasin", (-1.0, basin_low + 0.05, -1.7), (0.4, 0.1, 0.25)),
    )


def test_a_bowl_on_a_counter_needs_no_hole():
    counter = one(vanity(0.79, 0.81), "CounterTop")
    assert {"holes", "outline"}.isdisjoint(dict(counter.details))


def test_a_ceramic_sink_in_a_counter_has_a_hole_of_its_shape():
    scene = vanity(0.7, 0.73)
    counter = one(scene, "CounterTop")
    assert "holes" not in dict(counter.details)
    assert len(rows(counter, "outline")) > 20
    basin, sink = one(scene, "SinkBasin"), one(scene, "Sink")
    assert dict(basin.details)["kind"] == "ceramic"
    assert basin.variant == sink.variant == 4
