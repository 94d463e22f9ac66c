"""Dishes, cookware, cutlery, food, bottles and supplies: they fit, they show their state."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import AssetRequest, Liquid, Look, Model
from env_service.worlds.household.geometry import Vec3
from tests.support.meshes import agreement

SIZES: dict[str, tuple[tuple[float, float, float], ...]] = {
    "Bowl": ((0.19, 0.088, 0.19), (0.23, 0.112, 0.24), (0.16, 0.143, 0.15)),
    "Plate": ((0.24, 0.023, 0.24), (0.29, 0.014, 0.29), (0.19, 0.031, 0.2)),
    "Cup": ((0.11, 0.14, 0.11), (0.07, 0.21, 0.07), (0.12, 0.17, 0.1)),
    "Mug": ((0.126, 0.104, 0.103), (0.086, 0.104, 0.109), (0.11, 0.11, 0.11)),
    "Kettle": ((0.2, 0.187, 0.21), (0.26, 0.2, 0.19), (0.2, 0.19, 0.2)),
    "Pan": ((0.28, 0.047, 0.42), (0.3, 0.047, 0.25), (0.45, 0.103, 0.29), (0.4, 0.05, 0.4)),
    "Pot": ((0.39, 0.14, 0.33), (0.29, 0.17, 0.5), (0.25, 0.17, 0.25)),
    "Knife": ((0.014, 0.048, 0.335), (0.335, 0.014, 0.048), (0.048, 0.335, 0.014)),
    "ButterKnife": ((0.007, 0.021, 0.268), (0.2, 0.007, 0.2)),
    "Fork": ((0.033, 0.022, 0.248), (0.248, 0.022, 0.033)),
    "Spoon": ((0.041, 0.019, 0.207), (0.019, 0.207, 0.041)),
    "Spatula": ((0.064, 0.017, 0.298), (0.28, 0.018, 0.18)),
    "Ladle": ((0.09, 0.059, 0.267), (0.2, 0.056, 0.23)),
    "Apple": ((0.106, 0.113, 0.106), (0.12, 0.1, 0.11)),
    "AppleSliced": ((0.1, 0.11, 0.02), (0.1, 0.018, 0.1), (0.06, 0.05, 0.1)),
    "Bread": ((0.15, 0.15, 0.28), (0.28, 0.13, 0.16)),
    "BreadSliced": ((0.14, 0.15, 0.025), (0.14, 0.02, 0.13), (0.03, 0.15, 0.14)),
    "Egg": ((0.053, 0.074, 0.053), (0.053, 0.052, 0.074)),
    "EggCracked": ((0.12, 0.03, 0.11), (0.06, 0.05, 0.06)),
    "Lettuce": ((0.16, 0.156, 0.25), (0.16, 0.25, 0.16)),
    "LettuceSliced": ((0.16, 0.156, 0.05), (0.16, 0.03, 0.15)),
    "Potato": ((0.08, 0.078, 0.12), (0.13, 0.08, 0.09)),
    "PotatoSliced": ((0.08, 0.078, 0.024), (0.08, 0.015, 0.07)),
    "Tomato": ((0.12, 0.1, 0.124), (0.12, 0.13, 0.12)),
    "TomatoSliced": ((0.12, 0.1, 0.03), (0.1, 0.018, 0.1)),
    "Bottle": ((0.107, 0.254, 0.107), (0.1, 0.25, 0.12)),
    "WineBottle": ((0.088, 0.326, 0.088), (0.09, 0.32, 0.09)),
    "SaltShaker": ((0.068, 0.111, 0.068), (0.074, 0.197, 0.074)),
    "PepperShaker": ((0.067, 0.114, 0.067), (0.074, 0.197, 0.074)),
    "SoapBottle": ((0.112, 0.238, 0.085), (0.074, 0.236, 0.126), (0.16, 0.2, 0.053)),
    "SprayBottle": ((0.033, 0.245, 0.112), (0.113, 0.246, 0.074)),
    "PaperTowelRoll": ((0.078, 0.215, 0.065), (0.215, 0.12, 0.12)),
    "AluminumFoil": ((0.238, 0.036, 0.065), (0.065, 0.036, 0.238)),
    "DishSponge": ((0.074, 0.026, 0.139), (0.139, 0.074, 0.026)),
}

LIQUIDS = {f"of {liquid.value}": Look(liquid=liquid) for liquid in Liquid}
DIRTY, BROKEN, SLICED = (
    {"dirty": Look(dirty=True)},
    {"broken": Look(broken=True)},
    Look(sliced=True),
)
COOKED, USED_UP = {"cooked": Look(cooked=True)}, {"used up": Look(used_up=True)}
STATES: dict[str, dict[str, Look]] = {
    "Bowl": DIRTY | BROKEN | LIQUIDS,
    "Plate": DIRTY | BROKEN,
    "Cup": DIRTY | BROKEN | LIQUIDS,
    "Mug": DIRTY | BROKEN | LIQUIDS,
    "Kettle": LIQUIDS,
    "Pan": DIRTY,
    "Pot": DIRTY | LIQUIDS,
    "Apple": {"sliced": SLICED},
    "Bread": {"sliced": SLICED},
    "BreadSliced": COOKED,
    "Egg": BROKEN,
    "EggCracked": COOKED,
    "Lettuce": {"sliced": SLICED},
    "Potato": COOKED | {"sliced": SLICED, "cooked, sliced": Look(cooked=True, sliced=True)},
    "PotatoSliced": COOKED,
    "Tomato": {"sliced": SLICED},
    "Bottle": BROKEN | LIQUIDS,
    "WineBottle": BROKEN | LIQUIDS,
    "SoapBottle": USED_UP,
    "SprayBottle": USED_UP,
    "PaperTowelRoll": USED_UP,
}
LOOKS = {name: (Look(), *STATES.get(name, {}).values()) for name in SIZES}


@cache
def built(name: str, size: tuple[float, float, float], variant: int, look: Look) -> Model:
    return catalogue.builder_of(name)(AssetRequest(name, variant, Vec3(*size), look))


def bounds(model: Model) -> tuple[np.ndarray, np.ndarray]:
    low = np.min([part.mesh.bounds[0] for part in model.parts], 0)
    high = np.max([part.mesh.bounds[1] for part in model.parts], 0)
    return low, high


def appearance(model: Model) -> list[tuple[object, ...]]:
    return [(part.name, part.mesh.key, part.material) for part in model.parts]


@pytest.mark.parametrize("name", SIZES)
def test_it_keeps_within_its_box(name: str) -> None:
    for (variant, size), look in product(enumerate(SIZES[name]), LOOKS[name]):
        low, high = bounds(built(name, size, variant, look))
        half = np.array([size[0] / 2, 0.0, size[2] / 2])
        assert (low >= -half - 0.002).all(), size
        assert (high <= half + [0.0, size[1], 0.0] + 0.002).all(), size


@pytest.mark.parametrize("name", SIZES)
def test_its_faces_look_to_where_its_normals_point(name: str) -> None:
    for (variant, size), look in product(enumerate(SIZES[name]), LOOKS[name]):
        for part in built(name, size, variant, look).parts:
            normals = part.mesh.normals.astype(np.float64)
            assert np.allclose((normals * normals).sum(1), 1, atol=1e-3), part.name
            # jagged shards may fold a little at their rims
            assert (agreement(part.mesh) < -1e-9).mean() < 0.05, part.name


@pytest.mark.parametrize("name", SIZES)
def test_it_fills_the_long_sides_of_its_box(name: str) -> None:
    size = SIZES[name][0]
    low, high = bounds(built(name, size, 0, Look()))
    longest = int(np.argmax(size))
    assert (high - low)[longest] > 0.86 * size[longest]


@pytest.mark.parametrize("name", SIZES)
def test_equal_requests_give_equal_models(name: str) -> None:
    for look in (Look(), *STATES.get(name, {}).values()):
        again = built.__wrapped__(name, SIZES[name][1], 1, look)
        assert appearance(again) == appearance(built(name, SIZES[name][1], 1, look))


@pytest.mark.parametrize("name", STATES)
def test_every_state_can_be_seen(name: str) -> None:
    looks = [Look(), *STATES[name].values()]
    for variant in range(4):
        size = SIZES[name][variant % len(SIZES[name])]
        seen = [appearance(built(name, size, variant, look)) for look in looks]
        assert all(seen[a] != seen[b] for a in range(len(seen)) for b in range(a))


@pytest.mark.parametrize("name", ["Bowl", "Plate", "Cup", "Mug", "Pan", "Pot", "Bread", "Apple"])
def test_variants_differ(name: str) -> None:
    first, second = (built(name, SIZES[name][0], variant, Look()) for variant in (0, 1))
    assert appearance(first) != appearance(second)


@pytest.mark.parametrize("name", ["Bowl", "Plate", "Cup", "Mug", "Pan", "Pot"])
def test_things_stand_on_the_inner_bottom(name: str) -> None:
    for variant, size in enumerate(SIZES[name]):
        model = built(name, size, variant, Look())
        (surface,) = model.surfaces
        assert surface.round
        assert -size[0] / 2 <= surface.low[0] < surface.high[0] <= size[0] / 2
        assert -size[2] / 2 <= surface.low[1] < surface.high[1] <= size[2] / 2
        middle = np.add(surface.low, surface.high) / 2
        reach = (surface.high[0] - surface.low[0]) / 2
        p = np.concatenate([part.mesh.points for part in model.parts])
        away = np.hypot(p[:, 0] - middle[0], p[:, 2] - middle[1])
        level = (np.abs(p[:, 1] - surface.height) < 1e-5) & (away < reach + 1e-5)
        assert level.any()
        assert (p[away < reach * 0.9][:, 1] <= surface.height + 1e-5).all()


@pytest.mark.parametrize("name", ["Bowl", "Cup", "Mug", "Pot", "Kettle"])
def test_a_liquid_stands_below_the_rim(name: str) -> None:
    model = built(name, SIZES[name][0], 0, Look(liquid=Liquid.WATER))
    parts = {part.name: part for part in model.parts}
    level = float(parts["liquid"].mesh.bounds[1][1])
    rim = float(parts["body"].mesh.bounds[1][1])
    assert 0.6 * rim < level < rim
    assert not parts["liquid"].casts_shadow


def test_wine_is_red_in_a_dark_bottle() -> None:
    model = built("WineBottle", SIZES["WineBottle"][0], 0, Look(liquid=Liquid.WINE))
    red, green, blue = next(p for p in model.parts if p.name == "liquid body").material.color
    assert red > 0.5
    assert max(green, blue) < 0.2


def test_a_kettle_opens_its_lid() -> None:
    for size in SIZES["Kettle"]:
        model = built("Kettle", size, 0, Look())
        assert {part.name for part in model.parts if part.motion} == {"lid", "knob"}


def test_what_is_broken_holds_nothing() -> None:
    for name in ("Bowl", "Plate", "Cup", "Mug"):
        assert not built(name, SIZES[name][0], 0, Look(broken=True)).surfaces
