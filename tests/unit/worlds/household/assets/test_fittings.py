"""Appliances, cabinets, counters, sinks, taps, stoves and shelves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.assets import catalogue, fronts_and_handles
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Liquid,
    Look,
    Model,
    MotionKind,
    Palette,
    Part,
)
from env_service.worlds.household.assets.shapes import volume
from env_service.worlds.household.geometry import Vec3
from tests.support.meshes import Size, agreement, build, face_vectors

SIZES: dict[str, tuple[Size, ...]] = {
    "Cabinet": ((0.37, 0.66, 0.41), (0.3, 0.4, 0.3), (1.2, 0.9, 0.6), (0.6, 2.1, 0.6)),
    "Drawer": ((0.42, 0.19, 0.43), (0.14, 0.075, 0.16), (1.5, 0.7, 1.1)),
    "CounterTop": ((1.0, 0.017, 1.3), (4.2, 0.04, 0.6)),
    "Worktop": ((0.3, 0.04, 0.6),),
    "CounterBase": ((1.8, 0.88, 0.6), (0.5, 0.3, 0.5)),
    "CabinetCase": ((1.2, 0.7, 0.33),),
    "Faucet": (
        (0.24, 0.21, 0.27),
        (0.042, 0.101, 0.181),
        (0.585, 0.2, 0.257),
        (0.32, 0.48, 0.33),
        (0.14, 0.36, 0.2),
        (0.22, 0.83, 0.34),
        (0.06, 0.21, 0.34),
    ),
    "Floor": ((5.0, 0.44, 5.1), (3.0, 0.1, 4.0)),
    "Rug": ((2.0, 0.012, 1.4), (0.6, 0.02, 0.9)),
    "Fridge": ((0.74, 1.88, 0.96), (0.77, 1.4, 0.55), (1.16, 2.19, 1.24), (0.95, 1.9, 1.1)),
    "Safe": ((0.5, 0.5, 0.56), (0.3, 0.3, 0.34)),
    "CoffeeMachine": ((0.44, 0.44, 0.45), (0.29, 0.39, 0.4), (0.54, 0.47, 0.52)),
    "Microwave": ((0.61, 0.35, 0.36), (0.7, 0.4, 0.43)),
    "Toaster": ((0.19, 0.17, 0.34), (0.31, 0.18, 0.36), (0.46, 0.25, 0.24)),
    "Wall": ((4.0, 2.6, 0.1),),
    "Baseboard": ((3.0, 0.1, 0.015),),
    "Ceiling": ((5.0, 0.1, 4.0),),
    "Door": ((0.9, 2.05, 0.08), (0.8, 2.0, 0.03)),
    "Sky": ((3.0, 2.0, 0.1),),
    "Shelf": ((0.5, 0.23, 0.42), (0.86, 0.03, 0.2), (0.25, 0.4, 1.2)),
    "ShelvingUnit": ((0.94, 1.48, 0.47), (0.67, 2.2, 0.3), (1.07, 0.61, 0.19)),
    "Sink": ((0.6, 0.13, 0.4), (1.02, 0.16, 0.53), (0.33, 0.1, 0.2), (0.73, 1.05, 0.72)),
    "SinkBasin": ((0.37, 0.13, 0.37), (0.21, 0.04, 0.16), (0.8, 0.3, 0.6)),
    "StoveBurner": ((0.22, 0.003, 0.22), (0.2, 0.032, 0.2), (0.33, 0.023, 0.26)),
    "StoveKnob": ((0.067, 0.072, 0.067), (0.055, 0.026, 0.056), (0.05, 0.05, 0.025)),
    "Stove": ((0.76, 0.9, 0.68), (0.76, 0.06, 0.55)),
    "RangeHood": ((0.76, 0.7, 0.5), (0.6, 0.15, 0.5)),
    "Dishwasher": ((0.6, 0.85, 0.6),),
}

SWITCHED = ("CoffeeMachine", "Microwave", "Toaster", "StoveBurner", "StoveKnob", "Faucet")
OPENABLE = ("Cabinet", "Drawer", "Fridge", "Microwave", "Safe")
LEAVES_ITS_BOX = {"stream", "splash", "flames", "flame tips", "knob"}
"""Parts that may: water, fire, and the knob of a room door, whose box is the frame's."""


def signature(model: Model) -> list[tuple[str, str, object]]:
    return [(part.name, part.mesh.key, part.material) for part in model.parts]


def reach(parts: tuple[Part, ...]) -> tuple[np.ndarray, np.ndarray]:
    low = np.min([part.mesh.bounds[0] for part in parts], axis=0)
    high = np.max([part.mesh.bounds[1] for part in parts], axis=0)
    return low, high


def opened(part: Part, share: float = 1.0) -> np.ndarray:
    """A part's corners with its object open."""
    points = part.mesh.points.astype(np.float64)
    motion = part.motion
    if motion is None:
        return points
    axis = np.array(motion.axis.tuple())
    if motion.kind is MotionKind.SLIDE:
        return points + axis * motion.amount * share
    pivot = np.array(motion.pivot.tuple())
    angle = np.radians(motion.amount * share)
    arm = points - pivot
    along = axis * (arm * axis).sum(1, keepdims=True)
    turned = along + (arm - along) * np.cos(angle) + np.cross(axis, arm) * np.sin(angle)
    swung: np.ndarray = turned + pivot
    return swung


@pytest.mark.parametrize("name", SIZES)
def test_nothing_leaves_the_box_at_rest(name: str) -> None:
    looks = [Look(), Look(on=True)] if name in SWITCHED else [Look()]
    step = min(len(SIZES[name]), 3)
    for number, size in enumerate(SIZES[name]):
        for variant in range(number % step, 6, step):
            for look in looks:
                parts = build(name, size, variant, look).parts
                low, high = reach(tuple(part for part in parts if part.name not in LEAVES_ITS_BOX))
                w, h, d = size
                slack = 0.051 if name == "Floor" else 0.0101
                assert (low >= np.array([-w / 2, 0, -d / 2]) - slack).all(), (variant, low)
                assert (high <= np.array([w / 2, h, d / 2]) + slack).all(), (variant, high)


@pytest.mark.parametrize("name", SIZES)
def test_its_characteristic_extents_fill_the_box(name: str) -> None:
    for size in SIZES[name]:
        low, high = reach(build(name, size).parts)
        extent = high - low
        if name == "Floor":
            assert (extent[[0, 2]] > 0.99 * np.array(size)[[0, 2]]).all()
        elif name not in {"Sky", "Rug", "StoveBurner", "StoveKnob", "Faucet", "Shelf"}:
            assert (extent > 0.85 * np.array(size)).all(), extent


@pytest.mark.parametrize("name", SIZES)
def test_surfaces_lie_in_the_box(name: str) -> None:
    for size in SIZES[name]:
        w, h, d = size
        for variant in range(4):
            for surface in build(name, size, variant).surfaces:
                assert surface.low[0] < surface.high[0] and surface.low[1] < surface.high[1]
                assert surface.low[0] >= -w / 2 - 1e-6 and surface.high[0] <= w / 2 + 1e-6
                assert surface.low[1] >= -d / 2 - 1e-6 and surface.high[1] <= d / 2 + 1e-6
                assert -1e-6 <= surface.height <= h + 0.0041
                assert surface.clearance > 0


@pytest.mark.parametrize("name", SIZES)
def test_surfaces_lie_on_what_is_drawn(name: str) -> None:
    for size in SIZES[name]:
        model = build(name, size)
        for surface in model.surfaces:
            parts = [part for part in model.parts if surface.part in (None, part.name)]
            heights = np.concatenate([part.mesh.points[:, 1] for part in parts])
            assert np.abs(heights - surface.height).min() < 0.0011


@pytest.mark.parametrize("name", SIZES)
def test_the_same_request_gives_the_same_model(name: str) -> None:
    size = SIZES[name][0]
    request = AssetRequest(name, 1, Vec3(*size))
    first, second = (catalogue.builder_of(name)(request) for _ in range(2))
    assert first is not second
    assert signature(first) == signature(second)
    assert first.surfaces == second.surfaces


@pytest.mark.parametrize("name", SIZES)
def test_a_model_is_small_and_its_parts_have_names(name: str) -> None:
    for number, size in enumerate(SIZES[name]):
        for variant in range(number % 2, 4, 2):
            parts = build(name, size, variant, Look(on=True)).parts
            assert sum(len(part.mesh.faces) for part in parts) < 1600
            assert len({part.name for part in parts}) == len(parts)


@pytest.mark.parametrize("name", SWITCHED)
def test_on_looks_different_from_off(name: str) -> None:
    for size in SIZES[name]:
        off, on = build(name, size), build(name, size, look=Look(on=True))
        assert signature(off) != signature(on)
        glow = sum(part.material.glow > 0 for part in on.parts)
        assert glow > sum(part.material.glow > 0.5 for part in off.parts)


@pytest.mark.parametrize("name", ["CoffeeMachine", "Microwave", "Toaster", "StoveBurner"])
def test_what_is_hot_or_lit_gives_light(name: str) -> None:
    size = SIZES[name][0]
    assert not build(name, size).lamps
    assert build(name, size, look=Look(on=True)).lamps


@pytest.mark.parametrize(
    "name", ["Fridge", "Toaster", "CoffeeMachine", "Microwave", "Safe", "ShelvingUnit", "Faucet"]
)
def test_variants_differ(name: str) -> None:
    size = SIZES[name][0]
    looks = {str(signature(build(name, size, variant))) for variant in range(4)}
    assert len(looks) >= 2


@pytest.mark.parametrize("name", OPENABLE)
def test_opening_moves_doors_to_the_front(name: str) -> None:
    for variant in range(4):
        model = build(name, SIZES[name][0], variant)
        moving = [part for part in model.parts if part.motion is not None]
        assert moving
        front = max(float(part.mesh.bounds[1][2]) for part in moving)
        for part in moving:
            assert opened(part)[:, 2].max() > front + 0.05
            assert opened(part, 0.5)[:, 2].max() > front


@pytest.mark.parametrize(("hinge", "side"), [("left", 1.0), ("right", -1.0)])
def test_a_cabinet_door_stays_at_its_hinge(hinge: str, side: float) -> None:
    model = build("Cabinet", (0.4, 0.7, 0.5), hinge=hinge)
    door = next(part for part in model.parts if part.name == "door")
    swung = opened(door)
    assert (swung[:, 0] * side).min() > 0.1
    assert swung[:, 2].max() > 0.5


@pytest.mark.parametrize(("hinge", "up"), [("top", True), ("bottom", False)])
def test_flaps_open_up_or_down(hinge: str, up: bool) -> None:
    model = build("Cabinet", (0.6, 0.4, 0.35), hinge=hinge)
    door = next(part for part in model.parts if part.name == "door")
    swung = opened(door)
    assert (swung[:, 1].min() > 0.3) == up
    assert (swung[:, 1].max() < 0.1) != up


def test_a_wide_cabinet_has_two_doors_and_boards_inside() -> None:
    model = build("Cabinet", (1.2, 0.9, 0.6))
    names = {part.name for part in model.parts}
    assert {"left door", "right door"} <= names
    assert len(model.surfaces) == 3
    assert all(surface.inside for surface in model.surfaces)


def test_a_glazed_cabinet_shows_what_is_inside() -> None:
    model = build("Cabinet", (0.4, 0.9, 0.33), hinge="left", kind="glass")
    pane = next(part for part in model.parts if part.name == "pane")
    assert pane.material.opacity < 0.5
    assert pane.motion is not None


def test_a_drawer_carries_its_floor_along() -> None:
    model = build("Drawer", (0.42, 0.19, 0.43))
    (surface,) = model.surfaces
    box = next(part for part in model.parts if part.name == surface.part)
    assert surface.inside
    assert box.motion is not None
    assert box.motion.amount == pytest.approx(0.8 * 0.43)


def test_fronts_of_one_room_agree_and_can_be_told_apart_from_another_rooms() -> None:
    request = AssetRequest("Cabinet", 0, Vec3(0.4, 0.7, 0.5))
    assert fronts_and_handles.front_look(request) == fronts_and_handles.front_look(
        replace(request, type="Drawer")
    )
    white = replace(request, palette=Palette(cabinets="white"))
    assert fronts_and_handles.front_look(request).wood != fronts_and_handles.front_look(white).wood


def test_a_counter_leaves_its_holes_free() -> None:
    corner = ((-1.2, -0.7), (1.2, -0.7), (1.2, 0.7), (0.6, 0.7), (0.6, -0.1), (-1.2, -0.1))
    hole = (-0.6, -0.6, 0.0, -0.2)
    model = build("CounterTop", (2.4, 0.03, 1.4), outline=corner, holes=(hole,))
    area = sum((s.high[0] - s.low[0]) * (s.high[1] - s.low[1]) for s in model.surfaces)
    assert area == pytest.approx(2.4 * 0.6 + 0.6 * 0.8 - 0.6 * 0.4)
    assert volume(model.parts[0].mesh) == pytest.approx(area * 0.03, rel=1e-3)
    for s in model.surfaces:
        apart = s.high[0] <= hole[0] or s.low[0] >= hole[2]
        assert apart or s.high[1] <= hole[1] or s.low[1] >= hole[3]


def test_a_counter_can_lie_below_its_box() -> None:
    model = build("CounterTop", (1.0, 0.017, 0.6), top=0.0, thickness=0.04)
    low, high = reach(model.parts)
    assert (low[1], high[1]) == pytest.approx((-0.04, 0.0))
    assert model.surfaces[0].height == 0.0


def test_water_falls_as_far_as_it_is_told() -> None:
    def stream(fall: float) -> float:
        parts = build("Faucet", (0.2, 0.34, 0.18), look=Look(on=True), fall=fall).parts
        water = next(part for part in parts if part.name == "stream")
        return float(water.mesh.bounds[1][1] - water.mesh.bounds[0][1])

    assert stream(0.4) - stream(0.2) == pytest.approx(0.2, abs=1e-3)
    landing = build("Faucet", (0.2, 0.34, 0.18), look=Look(on=True), land=-0.15).parts
    low = next(part for part in landing if part.name == "stream").mesh.bounds[0][1]
    assert low == pytest.approx(-0.15, abs=1e-3)


def test_standing_water_shows_in_a_basin() -> None:
    dry = build("SinkBasin", (0.4, 0.14, 0.4))
    full = build("SinkBasin", (0.4, 0.14, 0.4), look=Look(liquid=Liquid.WATER))
    assert {part.name for part in full.parts} - {part.name for part in dry.parts} == {"liquid"}
    level = next(part for part in full.parts if part.name == "liquid").mesh.bounds
    assert 0.05 < level[0][1] < 0.14
    assert level[1][0] < 0.2


@pytest.mark.parametrize(
    ("size", "details", "steel"),
    [
        ((0.8, 0.16, 0.5), {}, True),
        ((0.8, 0.9, 0.5), {"asset": ""}, True),
        ((0.6, 0.14, 0.4), {"asset": "Sink_2"}, False),
        ((0.6, 0.9, 0.5), {"asset": "Sink_1"}, False),
        ((0.6, 0.9, 0.5), {}, False),
        ((0.8, 0.16, 0.5), {"asset": "", "kind": "ceramic"}, False),
    ],
)
def test_bathroom_sinks_are_ceramic(size: Size, details: dict[str, str], steel: bool) -> None:
    request = AssetRequest("Sink", 0, Vec3(*size), details=tuple(details.items()))
    parts = catalogue.model(request).parts
    assert (max(part.material.metal for part in parts) > 0.5) == steel


def test_a_mug_fits_under_the_coffee_machines_spout() -> None:
    for size in SIZES["CoffeeMachine"]:
        (place,) = build("CoffeeMachine", size).surfaces
        assert place.clearance > 0.13
        assert place.high[0] - place.low[0] > 0.15
        assert place.high[1] - place.low[1] > 0.15


@pytest.mark.parametrize(("size", "slots"), [((0.19, 0.2, 0.34), 2), ((0.31, 0.18, 0.36), 4)])
def test_a_toaster_has_slots_for_slices(size: Size, slots: int) -> None:
    surfaces = build("Toaster", size).surfaces
    assert len(surfaces) == slots
    assert all(s.high[1] - s.low[1] > 0.15 for s in surfaces)
    assert all(s.high[0] - s.low[0] > 0.018 for s in surfaces)


def test_burners_stay_round() -> None:
    model = build("StoveBurner", (0.33, 0.005, 0.26))
    low, high = reach(model.parts)
    assert high[0] - low[0] == pytest.approx(high[2] - low[2], abs=1e-3)
    assert model.surfaces[0].round


def test_a_knob_turns_by_a_quarter() -> None:
    off, on = (
        next(
            part
            for part in build("StoveKnob", (0.06, 0.06, 0.03), look=look).parts
            if part.name == "pointer"
        ).mesh.bounds
        for look in (Look(), Look(on=True))
    )
    upright, level = off[1] - off[0], on[1] - on[0]
    assert upright[1] > 2 * upright[0]
    assert level[0] > 2 * level[1]
    assert off[0][1] > 0.028, "off, the pointer stands above the middle"


SOLID_PARTS = {
    ("Cabinet", "door"),
    ("Drawer", "box"),
    ("Fridge", "body"),
    ("Safe", "shell"),
    ("Microwave", "door"),
    ("CoffeeMachine", "body"),
    ("Stove", "body"),
    ("Faucet", "tap"),
    ("StoveKnob", "skirt"),
    ("Shelf", "board"),
    ("CounterBase", "carcass"),
    ("Door", "knob"),
}


@pytest.mark.parametrize(("name", "part"), sorted(SOLID_PARTS))
def test_solids_are_not_inside_out(name: str, part: str) -> None:
    for size in SIZES[name]:
        mesh = {each.name: each.mesh for each in build(name, size).parts}.get(part)
        assert mesh is None or volume(mesh) > 0


@pytest.mark.parametrize("name", SIZES)
def test_faces_agree_with_their_normals(name: str) -> None:
    for variant in range(3):
        for part in build(name, SIZES[name][0], variant, Look(on=True)).parts:
            face = face_vectors(part.mesh)
            area = np.sqrt((face * face).sum(1))
            agree = agreement(part.mesh) >= -3e-3 * area
            assert agree.all(), (variant, part.name, int((~agree).sum()))


@pytest.mark.parametrize(("name", "kind"), [("CoffeeMachine", ""), ("Cabinet", "glass")])
def test_what_is_broken_shows_it(name: str, kind: str) -> None:
    size = SIZES[name][0]
    whole = build(name, size, kind=kind, hinge="left")
    broken = build(name, size, look=Look(broken=True), kind=kind, hinge="left")
    added = {part.name for part in broken.parts} - {part.name for part in whole.parts}
    assert any("cracks" in word for word in added)
    low, high = reach(broken.parts)
    w, h, d = size
    assert (low >= np.array([-w / 2, 0, -d / 2]) - 0.01).all()
    assert (high <= np.array([w / 2, h, d / 2]) + 0.01).all()


def test_a_drawer_under_a_sink_can_be_shallow() -> None:
    size = (0.4, 0.2, 0.5)
    box = next(part for part in build("Drawer", size, walls=0.05).parts if part.name == "box")
    assert box.mesh.bounds[1][1] == pytest.approx(0.05)
