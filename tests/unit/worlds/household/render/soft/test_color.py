"""How pictures look: light, shadow, glass, texture, smooth edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import Material, Mesh, Texture
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.interface import Camera, Channel
from env_service.worlds.household.render.scene_graph import Light, Lighting, Node, SceneGraph
from env_service.worlds.household.render.soft.materials import map_level
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.render.soft.tone import curve, packed, unpacked

DOWN = Camera(Vec3(0, 2, 0), 0, 90, 60, 128, 128)
LAMP = Light(Vec3(0, 2.4, 0), power=4.0, reach=10.0, shadows=True)
FLOOR = Material((0.6, 0.6, 0.6), gloss=0.0)


def node(mesh: Mesh, material: Material, at: Vec3 = Vec3(0, 0, 0)) -> Node:
    return Node(mesh, material, Transform(position=at).array(), 1)


LIT = Lighting((LAMP,))


def floor_scene(*, lighting: Lighting = LIT, floor: Material = FLOOR) -> SceneGraph:
    graph = SceneGraph()
    graph.light(lighting)
    graph.put("floor", node(shapes.box(8, 0.1, 8, at=(0, -0.1, 0), tile=1.0), floor))
    return graph


def picture(graph: SceneGraph, camera: Camera = DOWN) -> NDArray[np.uint8]:
    color = SoftRenderer(compiled=False).render(graph, camera, Channel.COLOR).color
    assert color is not None
    return color


def test_the_tone_curve_keeps_the_lower_half_and_never_reaches_one() -> None:
    light = np.array([0.0, 0.2, 0.5, 1.0, 100.0], np.float32)
    assert curve(light).tolist() == pytest.approx([0.0, 0.2, 0.5, 0.75, 0.9975])
    assert (np.diff(curve(np.linspace(0, 50, 999, dtype=np.float32))) > 0).all()


def test_bytes_survive_packing() -> None:
    levels = np.arange(256)
    linear = (levels / 255) ** 2.2
    toned = unpacked(packed(*[linear.astype(np.float32) * np.float32(0.9)] * 3))
    assert np.abs(toned[0] - curve((linear * 0.9).astype(np.float32))).max() < 0.01


def test_a_white_plate_under_the_strongest_lamp_keeps_its_shading() -> None:
    line = [(0, 0), (0.07, 0), (0.12, 0.03), (0.121, 0.032), (0.075, 0.006), (0, 0.004)]
    lamp = replace(LAMP, position=Vec3(0.4, 1.5, 0))
    graph = floor_scene(lighting=Lighting((lamp,), ambient=0.35, sky=0.3))
    graph.put("plate", node(shapes.lathe(line, sides=40), Material((0.95, 0.95, 0.95), gloss=0.2)))
    row = picture(graph, replace(DOWN, position=Vec3(0, 0.5, 0), field_of_view=26))[64, :, 1]
    assert row.max() < 240
    assert row[120:126].max() < row[55:75].min()
    graph.light(Lighting((replace(lamp, position=Vec3(0.1, 0.3, 0), power=8.0),), ambient=0.35))
    assert picture(graph, replace(DOWN, position=Vec3(0, 0.5, 0), field_of_view=26)).max() < 255


def test_things_throw_shadows_with_soft_edges() -> None:
    graph = floor_scene(lighting=Lighting((replace(LAMP, position=Vec3(-1, 2, 0)),), ambient=0.2))
    plain = picture(graph)[:, :, 1].astype(int)
    graph.put("box", node(shapes.box(0.4, 0.6, 0.4, at=(-0.6, 0, 0)), Material((0.1, 0.1, 0.1))))
    shaded = picture(graph)[:, :, 1].astype(int)
    row = (plain - shaded)[64]
    dark = np.flatnonzero(row > 50)
    assert len(dark) > 8
    assert np.flatnonzero((row > 10) & (row < 40)).size > 0
    graph.put("box", replace(graph.nodes["box"], casts_shadow=False))
    clear = (plain - picture(graph)[:, :, 1].astype(int))[64]
    assert (clear[dark[-3:]] < 15).all()


def test_a_lit_surface_does_not_speckle_itself() -> None:
    graph = floor_scene()
    graph.put("ball", node(shapes.ball(0.4, 0.4, 0.4, sides=40, rings=24), FLOOR, Vec3(0, 0.4, 0)))
    middle = picture(graph)[54:74, 54:74, 0].astype(int)
    assert np.abs(np.diff(middle, axis=0)).max() <= 3


def test_corners_are_darker_than_open_places() -> None:
    graph = floor_scene(lighting=Lighting((), ambient=0.5))
    camera = Camera(Vec3(0, 1.2, -1.8), 0, 35, 50, 128, 128)
    plain = picture(graph, camera)[..., 0].astype(int)
    graph.put("box", node(shapes.box(0.5, 0.5, 0.5), FLOOR))
    lost = plain - picture(graph, camera)[..., 0]
    seen = SoftRenderer(compiled=False).render(graph, camera, Channel.DEPTH).depth
    bare = SoftRenderer(compiled=False).render(floor_scene(), camera, Channel.DEPTH).depth
    assert seen is not None
    assert bare is not None
    foot = np.flatnonzero(seen[:, 64] != bare[:, 64]).max()
    assert lost[foot + 2, 64] > 12
    assert lost[125, 64] < 5


def test_glass_tints_what_lies_behind_it() -> None:
    graph = floor_scene()
    plain = picture(graph)[64, 64].astype(int)
    pane = Material((0.9, 0.2, 0.2), opacity=0.15, gloss=0.5)
    graph.put("pane", node(shapes.box(1, 0.02, 1, at=(0, 0.5, 0)), pane))
    through = picture(graph)[64, 64].astype(int)
    assert through[1] < plain[1] - 20
    assert through[0] > through[1] + 15


def test_far_textures_become_their_mean_instead_of_flickering() -> None:
    checks = np.zeros((64, 64, 3), np.uint8)
    checks[::2, ::2] = checks[1::2, 1::2] = 255
    floor = Material((1, 1, 1), Texture(checks), gloss=0.0)
    graph = floor_scene(floor=floor, lighting=Lighting((), ambient=0.5))
    assert picture(graph, replace(DOWN, position=Vec3(0, 6, 0))).std() < 4
    assert picture(graph, replace(DOWN, position=Vec3(0, 0.1, 0), field_of_view=10)).std() > 20


@pytest.mark.parametrize(
    ("texels", "level"), [(0.1, 0), (1.0, 0), (2.1, 1), (4, 1), (9, 2), (64, 3)]
)
def test_the_mip_map_whose_texels_are_as_large_as_a_pixel_is_taken(
    texels: float, level: int
) -> None:
    assert map_level(np.array([texels], np.float32)).tolist() == [level]


def test_a_texture_is_seen_the_right_way_round() -> None:
    quarters = np.zeros((2, 2, 3), np.uint8)
    quarters[0, 0] = (255, 0, 0)  # u = 0, v = 0: lower left
    quarters[1, 1] = (0, 255, 0)  # upper right
    wall = shapes.panel(2, 2, at=(0, -1, 0))
    graph = SceneGraph()
    graph.light(Lighting((), ambient=0.9))
    graph.put("wall", node(wall, Material((1, 1, 1), Texture(quarters), gloss=0.0)))
    color = picture(graph, Camera(Vec3(0, 0, 1), 180, 0, 90, 64, 64))
    assert color[48, 16].argmax() == 0
    assert color[16, 48].argmax() == 1


def test_outlines_have_steps_between() -> None:
    """An edge of one part in ten: most pixels on it are neither black nor white."""
    graph = SceneGraph()
    graph.light(Lighting((), ambient=0.0))
    bright = Material((1, 1, 1), glow=1.0, gloss=0.0)
    graph.put("bar", node(shapes.panel(4, 4).turned(z=5.7, y=180), bright, Vec3(0, 0, 1)))
    color = picture(graph, Camera(Vec3(0, 0, 0), 0, 0, 60, 100, 100))[:, :, 0]
    between = (color > 10) & (color < color.max() - 10)
    assert 70 <= between.sum() <= 140


def test_metal_mirrors_the_room_and_glow_shines_in_the_dark() -> None:
    graph = floor_scene(lighting=Lighting((), ambient=0.3, sky=1.0, sky_direction=Vec3(1, 0, 0)))
    ball = shapes.ball(0.5, 0.5, 0.5, sides=32, rings=20)
    camera = Camera(Vec3(0, 0.5, -2), 0, 0, 40, 96, 96)
    spread = []
    for metal in (0.0, 1.0):
        graph.put("ball", node(ball, Material((0.7, 0.7, 0.7), metal=metal), Vec3(0, 0.5, 0)))
        spread.append(float(picture(graph, camera)[40:56, 36:60].std()))
    assert spread[1] > spread[0]
    graph.light(Lighting((), ambient=0.0))
    graph.put("ball", node(ball, Material((1, 0.5, 0.1), glow=1.0), Vec3(0, 0.5, 0)))
    assert picture(graph, camera)[48, 48].tolist() > [150, 80, 0]
