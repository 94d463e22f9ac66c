"""What every renderer does alike: geometry exactly, colours about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.model import Material, Mesh
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.gl import GlRenderer
from env_service.worlds.household.render.gl.context import NoDisplayError
from env_service.worlds.household.render.interface import (
    NOTHING,
    Camera,
    CameraPictures,
    Channel,
    Renderer,
)
from env_service.worlds.household.render.scene_graph import Light, Lighting, Node, SceneGraph
from env_service.worlds.household.render.soft.renderer import SoftRenderer

ALL = Channel.COLOR | Channel.INSTANCES | Channel.DEPTH | Channel.NORMALS
CAMERA = Camera(Vec3(0.0, 1.2, -2.0), 0.0, 15.0, 60.0, 240, 180)
FLOOR, BALL, GLASS, BEHIND, LEAF = 1, 2, 3, 4, 5


@pytest.fixture(params=["soft", "gl"])
def renderer(request: pytest.FixtureRequest) -> Iterator[Renderer]:
    made = SoftRenderer() if request.param == "soft" else gl_renderer()
    yield made
    made.close()


def gl_renderer() -> Renderer:
    try:
        return GlRenderer()
    except NoDisplayError as error:
        pytest.skip(str(error))


def node(mesh: Mesh, material: Material, at: Vec3, instance: int, *, fixed: bool = False) -> Node:
    return Node(mesh, material, Transform(position=at).array(), instance, fixed=fixed)


def still_life() -> SceneGraph:
    graph = SceneGraph()
    floor = Material((1, 1, 1), palette.wood("oak").texture, gloss=0.3)
    graph.put(
        "floor", node(shapes.box(6, 0.1, 6, tile=1.0), floor, Vec3(0, -0.1, 1), FLOOR, fixed=True)
    )
    graph.put(
        "ball",
        node(shapes.ball(0.3, 0.3, 0.3), Material((0.7, 0.2, 0.1)), Vec3(-0.6, 0.3, 0.6), BALL),
    )
    glass = Material((0.7, 0.8, 0.9), opacity=0.3, gloss=0.9)
    graph.put("glass", node(shapes.box(0.5, 0.6, 0.05), glass, Vec3(0.5, 0, 0.4), GLASS))
    steel = Material((0.7, 0.7, 0.7), gloss=0.6, metal=0.8)
    graph.put(
        "behind", node(shapes.rounded_box(0.4, 0.4, 0.4, 0.04), steel, Vec3(0.5, 0, 1.0), BEHIND)
    )
    leaf = Material((0.2, 0.5, 0.2), two_sided=True)
    graph.put(
        "leaf",
        node(shapes.sheet(np.zeros((2, 2)), 0.3, 0.3).flipped(), leaf, Vec3(0, 0.5, 0.3), LEAF),
    )
    lamp = Light(Vec3(0.3, 2.6, 0.4), (1, 0.95, 0.85), 4.0, 10.0, shadows=True)
    graph.light(Lighting((lamp,), ambient=0.3, sky=0.3, sky_direction=Vec3(-1, 0, 0)))
    return graph


def test_every_channel_has_its_shape_and_kind(renderer: Renderer) -> None:
    frames = renderer.render(still_life(), CAMERA, ALL)
    kinds = {
        "color": (np.uint8, (180, 240, 3)),
        "instances": (np.int32, (180, 240)),
        "behind_glass": (np.int32, (180, 240)),
        "depth": (np.float32, (180, 240)),
        "normals": (np.float32, (180, 240, 3)),
    }
    for name, (kind, shape) in kinds.items():
        array = getattr(frames, name)
        assert (array.dtype, array.shape) == (kind, shape), name
        assert array.flags.c_contiguous, name
        assert not array.flags.writeable, name


def test_only_what_was_asked_for_is_made(renderer: Renderer) -> None:
    frames = renderer.render(still_life(), CAMERA, Channel.INSTANCES)
    assert frames.color is None
    assert frames.depth is None
    assert frames.normals is None
    assert frames.instances is not None


def test_depth_is_the_distance_along_the_view(renderer: Renderer) -> None:
    camera = Camera(Vec3(0.1, 3.0, 0.9), 0.0, 90.0, 40.0, 64, 64, far=7.5)
    graph = still_life()
    graph.drop(["glass", "behind", "ball", "leaf"])
    depth = renderer.render(graph, camera, Channel.DEPTH).depth
    assert depth is not None
    assert np.abs(depth - 3.0).max() < 1e-3


def test_where_nothing_is_there_is_nothing(renderer: Renderer) -> None:
    camera = replace(CAMERA, pitch=-60.0)
    frames = renderer.render(still_life(), camera, ALL)
    assert (frames.instances == NOTHING).all()
    assert (frames.depth == np.float32(camera.far)).all()


def test_glass_is_in_front_and_the_thing_behind_it_is_known(renderer: Renderer) -> None:
    frames = renderer.render(still_life(), CAMERA, Channel.INSTANCES)
    assert frames.instances is not None
    assert frames.behind_glass is not None
    through = (frames.instances == GLASS) & (frames.behind_glass == BEHIND)
    assert through.sum() > 100
    assert not (frames.behind_glass == GLASS).any()


def test_backs_are_drawn_of_two_sided_things_alone(renderer: Renderer) -> None:
    graph = still_life()
    before = renderer.render(graph, CAMERA, Channel.INSTANCES).instances
    assert before is not None
    assert (before == LEAF).any()
    leaf = graph.nodes["leaf"]
    graph.put("leaf", replace(leaf, material=replace(leaf.material, two_sided=False)))
    after = renderer.render(graph, CAMERA, Channel.INSTANCES).instances
    assert not (after == LEAF).any()


def test_an_unchanged_view_is_not_drawn_again(renderer: Renderer) -> None:
    graph = still_life()
    first = renderer.render(graph, CAMERA, ALL)
    assert renderer.render(graph, CAMERA, ALL) is first
    graph.put("ball", replace(graph.nodes["ball"], instance=9))
    assert renderer.render(graph, CAMERA, ALL) is not first


def test_a_changed_scene_looks_as_if_it_had_always_been_so(renderer: Renderer) -> None:
    graph = still_life()
    renderer.render(graph, CAMERA, ALL)
    moved = replace(graph.nodes["ball"], place=Transform(position=Vec3(-0.2, 0.3, 1.0)).array())
    graph.put("ball", moved)
    changed = renderer.render(graph, CAMERA, ALL)
    fresh = still_life()
    fresh.put("ball", moved)
    again = renderer.render(fresh, CAMERA, ALL)
    assert_equal(changed, again)


def assert_equal(a: CameraPictures, b: CameraPictures) -> None:
    for name in ("color", "instances", "behind_glass", "depth", "normals"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


def test_light_has_its_effects(renderer: Renderer) -> None:
    """A lamp that goes out darkens the room; a shadow lies under the ball; white keeps shading."""
    graph = still_life()
    lit = renderer.render(graph, CAMERA, Channel.COLOR).color
    lamp = graph.lighting
    graph.light(replace(lamp, lights=()))
    dark = renderer.render(graph, CAMERA, Channel.COLOR).color
    assert lit is not None
    assert dark is not None
    assert dark.mean() < 0.8 * lit.mean()
    graph.light(replace(lamp, lights=(replace(lamp.lights[0], power=12.0),)))
    graph.put("ball", replace(graph.nodes["ball"], material=Material((0.95, 0.95, 0.95))))
    frames = renderer.render(graph, CAMERA, Channel.COLOR | Channel.INSTANCES)
    assert frames.color is not None
    white = frames.color[frames.instances == BALL]
    assert white.max() < 255
    assert white.max() - white.min() > 40


def test_renderers_agree() -> None:
    gl, soft = gl_renderer(), SoftRenderer()
    a, b = (each.render(still_life(), CAMERA, ALL) for each in (soft, gl))
    assert a.color is not None
    assert b.color is not None
    assert np.abs(a.color.astype(int) - b.color).mean() < 5
    for number in (FLOOR, BALL, GLASS, BEHIND, LEAF):
        mine, theirs = a.instances == number, b.instances == number
        if mine.sum() >= 50:
            assert (mine & theirs).sum() / (mine | theirs).sum() > 0.95, number
    assert a.depth is not None
    assert b.depth is not None
    same = a.behind_glass == b.behind_glass
    assert np.abs(a.depth - b.depth)[same].max() < 2e-3
    gl.close()
