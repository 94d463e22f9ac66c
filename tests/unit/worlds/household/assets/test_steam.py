"""Steam over what is hot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import AssetRequest, Look
from env_service.worlds.household.assets.steam import steam, with_steam
from env_service.worlds.household.geometry import Vec3

MUG = AssetRequest("Mug", 2, Vec3(0.12, 0.1, 0.09))
HOT = replace(MUG, look=Look(hot=True))


def test_only_what_is_hot_steams() -> None:
    model = catalogue.model(MUG)
    assert with_steam(model, MUG) is model
    steaming = with_steam(model, HOT)
    assert steaming.parts[:-1] == model.parts
    assert steaming.parts[-1].name == "steam"
    assert steaming.surfaces == model.surfaces


@pytest.mark.parametrize("size", [(0.05, 0.04, 0.05), (0.12, 0.1, 0.09), (0.4, 0.2, 0.4)])
def test_steam_rises_from_the_top_and_lets_light_through(size: tuple[float, float, float]) -> None:
    part = steam(Vec3(*size), 1)
    low, high = part.mesh.bounds
    assert size[1] < low[1] < size[1] + 0.01
    assert 0.04 < high[1] - low[1] < 0.15
    assert max(abs(low[0]), high[0], abs(low[2]), high[2]) <= max(size) / 2
    assert part.material.opacity < 0.5
    assert not part.casts_shadow


def test_steam_is_shared_by_equal_things() -> None:
    assert with_steam(catalogue.model(HOT), HOT).parts[-1] is steam(HOT.size, 2)
    assert steam(HOT.size, 1).mesh.key != steam(HOT.size, 2).mesh.key
