"""Furniture, lamps, screens, windows and what decorates a room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Detail,
    Liquid,
    Look,
    Mesh,
    Model,
    Palette,
    Part,
    Surface,
    place,
)
from env_service.worlds.household.geometry import Vec3
from tests.support.meshes import agreement, face_vectors

Size = tuple[float, float, float]

SIZES: dict[str, tuple[Size, ...]] = {
    "ArmChair": ((0.75, 0.69, 0.73), (0.9, 0.9, 0.9), (1.49, 1.1, 1.21)),
    "Bed": ((1.05, 0.65, 1.92), (1.54, 0.92, 2.37), (2.05, 1.21, 2.43), (1.6, 0.4, 2.0)),
    "Blinds": ((1.1, 0.2, 0.03), (0.9, 1.23, 0.03)),
    "Box": ((0.28, 0.32, 0.26), (0.59, 0.17, 0.43), (0.69, 0.47, 0.48)),
    "Cart": ((0.8, 0.9, 0.45), (0.45, 0.85, 0.7)),
    "Chair": ((0.39, 0.77, 0.37), (0.47, 0.97, 0.5), (0.63, 1.07, 0.87)),
    "CoffeeTable": ((0.57, 0.14, 0.57), (1.21, 0.47, 0.5), (1.14, 0.44, 1.12)),
    "Curtains": ((2.06, 0.38, 0.09), (0.96, 2.08, 0.07), (6.5, 2.39, 0.14)),
    "Desk": ((1.14, 0.75, 0.53), (2.26, 0.79, 0.49), (2.53, 0.71, 1.92), (2.5, 0.03, 0.68)),
    "DeskLamp": ((0.18, 0.32, 0.14), (0.3, 0.54, 0.3), (0.19, 0.46, 0.26)),
    "Desktop": ((0.88, 0.57, 0.25),),
    "DiningTable": ((0.87, 0.72, 0.69), (1.47, 0.84, 1.47), (1.01, 0.1, 0.35)),
    "DogBed": ((0.73, 0.11, 0.73), (0.99, 0.32, 0.83)),
    "Dresser": ((0.78, 1.15, 0.27), (2.58, 1.11, 0.79)),
    "FloorLamp": ((0.4, 1.8, 0.4), (0.66, 1.89, 0.6)),
    "Footstool": ((0.28, 0.21, 0.28), (0.55, 0.6, 0.55)),
    "GarbageBag": ((0.51, 0.56, 0.52),),
    "GarbageCan": ((0.31, 0.36, 0.21), (0.39, 0.53, 0.39), (0.54, 0.66, 0.48)),
    "HousePlant": ((0.2, 0.64, 0.19), (0.34, 0.49, 0.36), (0.59, 0.99, 0.57)),
    "Laptop": ((0.34, 0.27, 0.25), (0.36, 0.33, 0.33), (0.49, 0.39, 0.38)),
    "LaundryHamper": ((0.45, 0.6, 0.35), (0.66, 0.88, 0.51)),
    "LightSwitch": ((0.11, 0.12, 0.02), (0.23, 0.21, 0.04)),
    "Mirror": ((0.34, 0.41, 0.05), (0.56, 0.67, 0.04), (2.61, 1.12, 0.21)),
    "Ottoman": ((0.77, 0.48, 0.46), (0.83, 0.44, 0.85)),
    "Painting": ((0.34, 0.25, 0.09), (1.18, 0.85, 0.04)),
    "Poster": ((0.44, 0.62, 0.09), (1.4, 0.95, 0.01)),
    "RoomDecor": ((0.28, 1.23, 0.34), (0.5, 0.2, 0.5)),
    "SideTable": ((0.25, 0.53, 0.25), (0.62, 0.67, 0.36), (1.35, 1.05, 0.53)),
    "Sofa": ((2.08, 0.61, 0.81), (2.55, 1.29, 0.97), (2.71, 0.96, 1.78)),
    "Stool": ((0.35, 0.45, 0.23), (0.31, 0.76, 0.31)),
    "TVStand": ((1.24, 0.45, 0.37), (1.9, 0.75, 0.52)),
    "TableTopDecor": ((0.4, 0.14, 0.31), (0.2, 0.4, 0.15)),
    "Television": ((1.08, 0.74, 0.07), (0.81, 0.57, 0.2), (1.22, 0.86, 0.56)),
    "Window": ((0.52, 1.56, 0.04), (2.01, 1.32, 0.11), (1.6, 1.58, 0.29)),
}

STATES: dict[str, tuple[Look, ...]] = {
    "Bed": (Look(dirty=True),),
    "DeskLamp": (Look(on=True),),
    "Desktop": (Look(on=True), Look(broken=True)),
    "FloorLamp": (Look(on=True),),
    "HousePlant": (Look(liquid=Liquid.WATER),),
    "Laptop": (Look(on=True), Look(broken=True)),
    "LightSwitch": (Look(on=True),),
    "Mirror": (Look(dirty=True), Look(broken=True)),
    "Television": (Look(on=True), Look(broken=True)),
    "Window": (Look(broken=True),),
}

SEATS_AND_TOPS = (
    *("ArmChair", "Bed", "Cart", "Chair", "CoffeeTable", "Desk", "DiningTable", "DogBed"),
    *("Dresser", "Footstool", "Ottoman", "SideTable", "Sofa", "Stool", "TVStand"),
)

CONTAINERS = ("Box", "GarbageCan", "LaundryHamper")


def order(
    name: str,
    size: Size | None = None,
    variant: int = 0,
    look: Look = Look(),
    **details: Detail,
) -> AssetRequest:
    chosen = Vec3(*(size or SIZES[name][0]))
    return AssetRequest(name, variant, chosen, look, Palette(), tuple(details.items()))


def build(request: AssetRequest) -> Model:
    return catalogue.model(request)


def shared_out(name: str) -> list[tuple[Size, tuple[int, ...]]]:
    """Sizes of a type with the variants to build in each: six for one size, in turn for more."""
    sizes = SIZES[name]
    step = min(len(sizes), 3)
    return [(size, tuple(range(number % step, 6, step))) for number, size in enumerate(sizes)]


def extent(model: Model) -> tuple[np.ndarray, np.ndarray]:
    low = np.min([part.mesh.bounds[0] for part in model.parts], axis=0)
    high = np.max([part.mesh.bounds[1] for part in model.parts], axis=0)
    return low, high


def parts_of(model: Model) -> tuple[tuple[str, str, object], ...]:
    return tuple((part.name, part.mesh.key, part.material) for part in model.parts)


def heights_at(meshes: list[Mesh], x: float, z: float) -> np.ndarray:
    """Heights at which a vertical line through (x, z) meets triangles."""
    corners = np.concatenate([m.points.astype(np.float64)[m.faces] for m in meshes])
    a, b, c = (corners[:, k] for k in range(3))
    d = (b[:, 2] - c[:, 2]) * (a[:, 0] - c[:, 0]) + (c[:, 0] - b[:, 0]) * (a[:, 2] - c[:, 2])
    safe = np.where(np.abs(d) > 1e-12, d, np.inf)
    u = ((b[:, 2] - c[:, 2]) * (x - c[:, 0]) + (c[:, 0] - b[:, 0]) * (z - c[:, 2])) / safe
    v = ((c[:, 2] - a[:, 2]) * (x - c[:, 0]) + (a[:, 0] - c[:, 0]) * (z - c[:, 2])) / safe
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & np.isfinite(safe)
    found: np.ndarray = (u * a[:, 1] + v * b[:, 1] + (1 - u - v) * c[:, 1])[hit]
    return found


def opened(part: Part, openness: float) -> Mesh:
    """A part's mesh at an openness."""
    rows = place(part, openness)
    points = part.mesh.points.astype(np.float64)
    moved = (rows[None, :, :3] * points[:, None]).sum(2) + rows[:, 3]
    return Mesh.of(moved, part.mesh.normals, part.mesh.uv, part.mesh.faces)


@pytest.mark.parametrize("name", sorted(SIZES))
def test_it_fits_its_box_in_every_state(name: str) -> None:
    for size, variants in shared_out(name):
        for variant in variants:
            for look in (Look(), *STATES.get(name, ())):
                low, high = extent(build(order(name, size, variant, look)))
                half = np.array([size[0] / 2, 0, size[2] / 2])
                top = np.array([size[0] / 2, size[1], size[2] / 2])
                assert (low >= -half - 0.008).all(), (variant, look, low)
                assert (high <= top + 0.008).all(), (variant, look, high)


@pytest.mark.parametrize("name", sorted(SIZES))
def test_it_is_tall_as_its_box_and_fills_one_side(name: str) -> None:
    for size, variants in shared_out(name):
        for variant in variants:
            low, high = extent(build(order(name, size, variant)))
            filled = (high - low) / np.array(size)
            assert filled[1] > 0.85
            assert max(filled[0], filled[2]) > 0.55


@pytest.mark.parametrize("name", sorted(SIZES))
def test_meshes_are_sound_and_few_triangles(name: str) -> None:
    for variant in range(6):
        model = build(order(name, variant=variant))
        names = [part.name for part in model.parts]
        assert len(set(names)) == len(names)
        for part in model.parts:
            assert np.isfinite(part.mesh.points).all()
            length = np.sqrt((part.mesh.normals.astype(np.float64) ** 2).sum(1))
            assert np.allclose(length, 1.0, atol=1e-3)
        assert sum(len(part.mesh.faces) for part in model.parts) < 2700


@pytest.mark.parametrize("name", sorted(SIZES))
def test_faces_agree_with_their_normals(name: str) -> None:
    for variant in range(6):
        for part in build(order(name, variant=variant)).parts:
            if part.material.two_sided:
                continue
            face = face_vectors(part.mesh)
            area = np.sqrt((face * face).sum(1))
            assert (agreement(part.mesh)[area > 1e-7] > -1e-9).all(), (variant, part.name)


@pytest.mark.parametrize("name", sorted(SIZES))
def test_equal_requests_give_equal_models(name: str) -> None:
    request = order(name, variant=2, look=Look(dirty=True, broken=True, on=True))
    first, second = (catalogue.builder_of(name)(request) for _ in range(2))
    assert parts_of(first) == parts_of(second)


@pytest.mark.parametrize("name", sorted(set(SIZES) - {"Desktop"}))
def test_variants_differ(name: str) -> None:
    shown = {parts_of(build(order(name, variant=variant))) for variant in range(4)}
    assert len(shown) > 1


@pytest.mark.parametrize("name", sorted(STATES))
def test_every_state_can_be_told_from_the_others(name: str) -> None:
    for variant in range(4):
        looks = (Look(), *STATES[name])
        shown = {parts_of(build(order(name, variant=variant, look=look))) for look in looks}
        assert len(shown) == len(looks)


def within(surface: Surface, size: Size) -> bool:
    (x0, z0), (x1, z1) = surface.low, surface.high
    inside = -size[0] / 2 <= x0 < x1 <= size[0] / 2 and -size[2] / 2 <= z0 < z1 <= size[2] / 2
    return inside and 0 < surface.height <= size[1] + 1e-6


@pytest.mark.parametrize("name", (*SEATS_AND_TOPS, *CONTAINERS))
def test_surfaces_lie_on_what_is_drawn(name: str) -> None:
    for size in SIZES[name]:
        for variant in range(6):
            model = build(order(name, size, variant))
            assert model.surfaces
            still = [part.mesh for part in model.parts if part.motion is None]
            for surface in model.surfaces:
                assert within(surface, size)
                (x0, z0), (x1, z1) = surface.low, surface.high
                for share_x, share_z in ((0.46, 0.5), (0.3, 0.4), (0.72, 0.62)):
                    # a hair aside, to miss the edges between triangles
                    x = x0 + (x1 - x0) * share_x + 1.3e-4
                    z = z0 + (z1 - z0) * share_z + 0.7e-4
                    met = heights_at(still, x, z)
                    below = met[met <= surface.height + 0.006]
                    assert below.size, (variant, surface)
                    assert below.max() == pytest.approx(surface.height, abs=0.006), (
                        variant,
                        surface,
                    )
                    above = met[met > surface.height + 0.006]
                    room = surface.height + min(surface.clearance, 0.3) - 0.02
                    assert not ((above > surface.height + 0.02) & (above < room)).any(), variant


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_hold_things_inside(name: str) -> None:
    for size in SIZES[name]:
        for surface in build(order(name, size)).surfaces:
            assert surface.inside
            assert surface.height < 0.03
            assert 0.05 < surface.clearance < size[1]


@pytest.mark.parametrize("name", ["ArmChair", "Bed", "Chair", "Sofa", "Stool"])
def test_a_known_level_is_where_things_lie(name: str) -> None:
    level = 0.44 if name != "Stool" else 0.40
    for surface in build(order(name, SIZES[name][1], level=level)).surfaces:
        assert surface.height == pytest.approx(level)


def test_a_level_under_the_seat_is_not_the_seats() -> None:
    size = SIZES["Chair"][1]
    plain, told = build(order("Chair", size)), build(order("Chair", size, level=0.02))
    assert plain.surfaces == told.surfaces


@pytest.mark.parametrize("name", ["CoffeeTable", "DiningTable", "SideTable"])
def test_a_table_is_round_when_told(name: str) -> None:
    size = (0.8, 0.5, 0.8)
    for variant in range(4):
        assert build(order(name, size, variant, round=1.0)).surfaces[0].round
        assert not build(order(name, size, variant, round=0.0)).surfaces[0].round


@pytest.mark.parametrize("name", ["CoffeeTable", "Desk", "Dresser", "SideTable", "TVStand"])
def test_drawers_of_their_own_find_a_hollow(name: str) -> None:
    size = (1.2, 0.7, 0.5)
    hole = (0.05, 0.32, 0.5, 0.55)
    model = build(order(name, size, drawers=(hole, (-0.5, 0.32, -0.05, 0.55))))
    turned = [part.mesh.turned(x=90.0) for part in model.parts]
    for x in (-0.3, 0.1, 0.3):
        for y in (0.37, 0.5):
            # a line along z through the opening, as a vertical line through what was tilted
            depths = -heights_at(turned, x, y)
            assert depths.size, "no back panel"
            assert depths.max() < -0.2, "something stands in the hollow"


@pytest.mark.parametrize("name", ["Dresser", "SideTable", "TVStand"])
def test_shelves_of_their_own_find_boards(name: str) -> None:
    model = build(order(name, (1.0, 0.8, 0.4), shelves=((0.3,), (0.55,))))
    met = heights_at([part.mesh for part in model.parts], 0.11, 0.023)
    for height in (0.3, 0.55):
        assert np.abs(met - height).min() < 1e-4
    assert not ((met > 0.31) & (met < 0.5)).any()


@pytest.mark.parametrize("size", SIZES["Box"])
def test_a_box_closes_flat(size: Size) -> None:
    model = build(order("Box", size))
    rim = max(float(part.mesh.bounds[1][1]) for part in model.parts if part.motion is None)
    for part in model.parts:
        if part.motion is None:
            continue
        low, high = opened(part, 0.0).bounds
        assert low[1] > rim - 0.001
        assert high[1] < rim + 0.02
        assert float(part.mesh.bounds[1][1]) > rim + 0.02
    flaps = [opened(part, 0.0) for part in model.parts if part.motion is not None]
    assert heights_at(flaps, 0.011, 0.013).size


@pytest.mark.parametrize("size", SIZES["Laptop"])
def test_a_laptop_closes_onto_its_keys(size: Size) -> None:
    model = build(order("Laptop", size, look=Look(on=True)))
    top = max(float(part.mesh.bounds[1][1]) for part in model.parts if part.motion is None)
    for part in model.parts:
        if part.motion is None:
            continue
        low, high = opened(part, 0.0).bounds
        assert top - 0.001 < low[1]
        assert high[1] < top + 0.02
        assert high[2] <= size[2] / 2 + 0.005


def test_a_hamper_opens_upwards_to_the_back() -> None:
    size = SIZES["LaundryHamper"][0]
    for part in build(order("LaundryHamper", size)).parts:
        if part.name == "lid":
            low, high = opened(part, 1.0).bounds
            assert high[1] > size[1] + 0.15
            assert high[2] < 0
            assert low[1] > size[1] * 0.85


def test_blinds_come_down_as_they_open() -> None:
    rolled, hanging = (build(order("Blinds", size)) for size in SIZES["Blinds"])
    for model, drawn, high in ((rolled, 0.0, 0.2), (hanging, 1.0, 1.23)):
        bar = next(part for part in model.parts if part.name == "bar")
        assert opened(bar, drawn).bounds[0][1] == pytest.approx(0.0, abs=0.01)
        down, up = (high - float(opened(bar, at).bounds[0][1]) for at in (1.0, 0.0))
        assert down > 1.1
        assert 0.1 < up < 0.3


def test_blinds_come_down_as_far_as_told() -> None:
    model = build(order("Blinds", (1.1, 0.2, 0.03), drop=1.6))
    bar = next(part for part in model.parts if part.name == "bar")
    assert 0.2 - float(opened(bar, 1.0).bounds[0][1]) == pytest.approx(1.6, abs=0.02)


@pytest.mark.parametrize("name", ["DeskLamp", "FloorLamp"])
def test_lamps_shine_only_when_on(name: str) -> None:
    for size in SIZES[name]:
        for variant in range(4):
            request = order(name, size, variant)
            lit = build(replace(request, look=Look(on=True)))
            assert not build(request).lamps
            (lamp,) = lit.lamps
            assert abs(lamp.position.x) <= size[0] / 2
            assert size[1] * 0.3 < lamp.position.y <= size[1] + 0.05
            assert any(part.material.glow > 1 for part in lit.parts)
            assert all(part.material.glow == 0 for part in build(request).parts)


@pytest.mark.parametrize("name", ["Desktop", "Laptop", "Television"])
def test_screens_glow_when_on_and_whole(name: str) -> None:
    def screen(look: Look) -> Part:
        model = build(order(name, look=look))
        return next(part for part in model.parts if part.name == "screen")

    assert screen(Look(on=True)).material.glow > 0.5
    assert screen(Look()).material.glow == 0
    assert screen(Look(on=True, broken=True)).material.glow == 0


def test_glass_lets_one_see_through() -> None:
    for variant in range(3):
        glass = next(p for p in build(order("Window", variant=variant)).parts if p.name == "glass")
        assert glass.material.opacity < 0.3
        assert not glass.casts_shadow


def test_pillows_lie_on_a_bed_when_told() -> None:
    with_some = build(order("Bed", (1.54, 0.92, 2.37), pillows=2.0))
    plain = build(order("Bed", (1.54, 0.92, 2.37)))
    assert {part.name for part in with_some.parts} - {part.name for part in plain.parts} == {
        "pillows"
    }
