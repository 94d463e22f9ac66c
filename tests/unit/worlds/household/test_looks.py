"""The looks `clear` and `thor` of the household world."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.world_registry import open_world
from env_service.worlds.base import WorldUnavailableError, as_described, describe_world
from env_service.worlds.household.assets.model import Material, Part
from env_service.worlds.household.assets.palette import wood
from env_service.worlds.household.assets.shapes import box
from env_service.worlds.household.assets.slabs import cut
from env_service.worlds.household.render.soft.tone import DECODE, linear
from env_service.worlds.household.scene.library import SceneLibrary, standard_library
from env_service.worlds.household.scene.looks import (
    LIGHT,
    VARIABLE,
    dressed,
    incoming,
    paint,
    painted,
    table,
)
from env_service.worlds.household.scene.rooms.built_in_rooms import BuiltInRooms
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState

SCENE = "household-bathroom-1"
START = ThorStart(64, 64, "High", {"fieldOfView": 60, "renderInstanceSegmentation": True})


@pytest.fixture(scope="module")
def clear() -> SceneSpec:
    return SceneLibrary([BuiltInRooms()]).load(SCENE)


@pytest.fixture(scope="module")
def events() -> Mapping[str, Any]:
    """The first event of the scene, by look."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOUSEGUEST_RENDERER", "soft")
        for look in ("clear", "thor"):
            patch.setenv(VARIABLE, look)
            controller = open_world("household", SCENE, START)
            event = controller.last_event
            found[look] = (event.metadata, event.frame, event.instance_segmentation_frame)
            controller.stop()
    return found


def test_a_look_changes_the_picture_and_nothing_else(events: Mapping[str, Any]) -> None:
    (clear, clear_frame, clear_ids), (thor, thor_frame, thor_ids) = events.values()
    assert clear == thor
    assert np.array_equal(clear_ids, thor_ids)
    assert np.abs(clear_frame.astype(int) - thor_frame).mean() > 5


def test_a_surface_has_the_colour_of_the_table(clear: SceneSpec) -> None:
    scene = dressed(clear, "thor")
    assert scene.appearance is not None
    color = scene.appearance.surfaces["Wall/wall"]
    assert color in [each.surfaces.get("Wall/wall") for each in table().values()]
    graph = SceneGraphBuilder(scene).graph(HouseholdState.at_start(scene))
    wall = next(spec.name for spec in scene.structure if spec.type == "Wall")
    material = graph.nodes[f"{wall}/wall"].material
    assert material.texture is not None
    own = DECODE.take(material.texture.pixels).reshape(-1, 3).mean(0)
    for channel in range(3):
        shown = linear(material.color[channel]) * own[channel] * LIGHT
        assert shown == pytest.approx(incoming(linear(color[channel])), rel=0.02)


def test_a_scene_without_frames_gets_the_same_colours_every_time(clear: SceneSpec) -> None:
    assert dressed(clear, "thor") == dressed(clear, "thor")
    names = [f"household-bathroom-{number}" for number in range(1, 9)]
    library = SceneLibrary([BuiltInRooms()], look="thor")
    walls = {library.load(name).appearance.surfaces["Wall/wall"] for name in names}  # type: ignore[union-attr] # it has the look thor
    assert len(walls) > 1


def test_a_band_cuts_walls_without_changing_their_shape() -> None:
    whole = box(2.0, 3.0, 0.1)
    low, high = cut(whole, 1.2)
    assert low.bounds[1][1] == pytest.approx(1.2)
    assert high.bounds[0][1] == pytest.approx(1.2)
    areas = [
        np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum() / 2
        for p in (mesh.points[mesh.faces] for mesh in (whole, low, high))
    ]
    assert areas[0] == pytest.approx(areas[1] + areas[2], rel=1e-4)


def test_every_colour_of_the_table_names_a_surface() -> None:
    assert len(table()) >= 29
    for entry in table().values():
        assert entry.surfaces
        assert all("/" in key for key in (*entry.surfaces, *entry.parts))


def test_an_unknown_look_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "sepia")
    with pytest.raises(ValueError, match="clear, thor, not 'sepia'"):
        standard_library()
    with pytest.raises(WorldUnavailableError, match=VARIABLE):
        describe_world("household")
    with pytest.raises(WorldUnavailableError, match=VARIABLE):
        open_world("household", SCENE, START)


def test_the_look_is_part_of_what_a_run_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "soft")
    monkeypatch.setenv(VARIABLE, "clear")
    plain = describe_world("household")
    monkeypatch.setenv(VARIABLE, "thor")
    assert describe_world("household") == {**plain, "look": "thor"}


def test_a_replay_takes_the_look_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "thor")
    with as_described("household", {"version": "0.1.0", "renderer": "soft"}):
        assert os.environ[VARIABLE] == "clear"
    assert os.environ[VARIABLE] == "thor"
    monkeypatch.delenv(VARIABLE)
    with as_described("household", {"look": "thor"}):
        assert os.environ[VARIABLE] == "thor"
    assert VARIABLE not in os.environ


def test_white_paint_on_furniture_hides_the_grain_and_brown_keeps_it() -> None:
    part = Part("door", box(0.4, 0.7, 0.02), wood("cherry"))
    white = painted(part.material, paint(part, "Cabinet", (0.9, 0.9, 0.88)))
    brown = painted(part.material, paint(part, "Cabinet", (0.45, 0.25, 0.12)))
    assert white.texture is None
    assert brown.texture == part.material.texture
    picture = painted(part.material, paint(part, "Painting", (0.9, 0.9, 0.88)))
    assert picture.texture == part.material.texture


def test_what_glows_in_one_state_alone_keeps_its_colour() -> None:
    dark = Part("screen", box(0.4, 0.3, 0.02), Material((0.05, 0.05, 0.05)))
    lit = replace(dark.material, color=(0.2, 0.4, 0.8), glow=1.0)
    by = paint(dark, "Television", (0.3, 0.3, 0.3))
    assert painted(lit, by) == lit
    assert painted(dark.material, by).color != dark.material.color
