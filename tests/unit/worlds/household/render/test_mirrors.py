"""Mirrors show what is before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.assets.model import Material
from env_service.worlds.household.assets.shapes import box, panel
from env_service.worlds.household.geometry import IDENTITY, Transform, Vec3
from env_service.worlds.household.render.interface import Camera, Channel
from env_service.worlds.household.render.mirrors import MirroringRenderer
from env_service.worlds.household.render.scene_graph import Lighting, Node, SceneGraph
from env_service.worlds.household.render.soft.renderer import SoftRenderer

RED, GREY = Material((0.9, 0.05, 0.05), gloss=0.0), Material((0.5, 0.5, 0.5), gloss=0.0)
SILVER = Material((0.8, 0.8, 0.8), gloss=0.0)
EYE = Camera(Vec3(-0.5, 1.0, 2.0), 166.0, 0.0, 60.0, 64, 64)
"""Before the mirror, to its left, as seen from it; it looks at the mirror."""


def at(x: float, y: float, z: float) -> np.ndarray:
    return Transform(IDENTITY, Vec3(x, y, z)).array()


@pytest.fixture
def room() -> SceneGraph:
    """A mirror at z = 0 that faces +z, a grey wall behind it, and a red box behind the eye."""
    graph = SceneGraph()
    graph.put("wall", Node(box(6, 3, 0.1), GREY, at(0, 0, -0.2), 0))
    graph.put("mirror", Node(panel(1.2, 1.2), SILVER, at(0, 0.4, 0), 1, reflects=True))
    graph.put("box", Node(box(0.8, 3, 0.2), RED, at(0.5, 0, 3.0), 2))
    graph.light(Lighting((), ambient=0.8, from_below=0.6))
    return graph


def red_share(picture: np.ndarray) -> float:
    """The share of pixels that are red."""
    red, green, _ = picture.astype(int).transpose(2, 0, 1)
    return float((red > 2 * green + 40).mean())


def test_a_mirror_shows_what_is_behind_the_eye(room: SceneGraph) -> None:
    plain = SoftRenderer(compiled=False).render(room, EYE, Channel.COLOR).color
    mirrored = MirroringRenderer(SoftRenderer(compiled=False)).render(room, EYE, Channel.COLOR)
    assert plain is not None and mirrored.color is not None
    assert red_share(plain) == 0.0
    assert 0.02 < red_share(mirrored.color) < 0.5
    assert mirrored.depth is None


def test_left_and_right_are_as_in_a_mirror(room: SceneGraph) -> None:
    box_node = room.nodes["box"]
    columns = []
    for x in (0.1, 0.9):
        room.put("box", replace(box_node, place=at(x, 0, 3.0)))
        renderer = MirroringRenderer(SoftRenderer(compiled=False))
        color = renderer.render(room, EYE, Channel.COLOR).color
        assert color is not None
        red = color[..., 0].astype(int) > 2 * color[..., 1].astype(int) + 40
        columns.append(np.nonzero(red)[1].mean())
    # The eye looks to -z, so that +x is on its left, in the mirror too.
    assert columns[1] < columns[0]


def test_without_mirrors_nothing_is_drawn_twice(room: SceneGraph) -> None:
    room.put("mirror", replace(room.nodes["mirror"], reflects=False))
    inner = SoftRenderer(compiled=False)
    whole = MirroringRenderer(inner)
    assert whole.name == inner.name
    assert whole.render(room, EYE, Channel.COLOR) is inner.render(room, EYE, Channel.COLOR)


def test_an_unchanged_view_is_not_drawn_again(room: SceneGraph) -> None:
    whole = MirroringRenderer(SoftRenderer(compiled=False))
    first = whole.render(room, EYE, Channel.COLOR)
    assert whole.render(room, EYE, Channel.COLOR) is first
    room.drop(["box"])
    again = whole.render(room, EYE, Channel.COLOR)
    assert again.color is not None
    assert red_share(again.color) == 0.0


def test_behind_its_back_a_mirror_shows_nothing(room: SceneGraph) -> None:
    behind = replace(EYE, position=Vec3(0.0, 1.0, -2.0), yaw=0.0)
    room.drop(["wall"])
    plain = SoftRenderer(compiled=False).render(room, behind, Channel.COLOR).color
    drawn = MirroringRenderer(SoftRenderer(compiled=False)).render(room, behind, Channel.COLOR)
    assert plain is not None and drawn.color is not None
    assert np.array_equal(plain, drawn.color)
