"""What is seen where: places, depths, the near plane, sides, layers of glass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import Material, Mesh
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.render.interface import NOTHING, Camera, CameraPictures, Channel
from env_service.worlds.household.render.scene_graph import Node, SceneGraph
from env_service.worlds.household.render.soft.projection import View
from env_service.worlds.household.render.soft.raster import Samples, look
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.render.soft.scene_cache import SceneCache
from env_service.worlds.household.render.soft.visibility import draw

AHEAD = Camera(Vec3(0, 0, 0), 0, 0, 90, 100, 100)
"""From the origin along +z; at z metres one sees z metres to each side."""

FACTS = Channel.INSTANCES | Channel.DEPTH | Channel.NORMALS
PLAIN = Material()
GLASS = Material(opacity=0.3)


def node(mesh: Mesh, at: Vec3 = Vec3(0, 0, 0), number: int = 1, look: Material = PLAIN) -> Node:
    return Node(mesh, look, Transform(position=at).array(), number)


def scene(*nodes: Node) -> SceneGraph:
    graph = SceneGraph()
    for number, each in enumerate(nodes):
        graph.put(str(number), each)
    return graph


def facts(graph: SceneGraph, camera: Camera = AHEAD) -> CameraPictures:
    return SoftRenderer(compiled=False).render(graph, camera, FACTS)


def test_a_box_covers_the_pixels_that_projection_says() -> None:
    """At z metres a pixel is z / 50 wide. The front, at 2 m, spans x from 0.2 to 1.2 m and y from
    -0.49 to 0.49 m; the left side reaches back to 3 m."""
    frames = facts(scene(node(shapes.box(1, 0.98, 1, at=(0.7, -0.49, 2.5)))))
    assert frames.instances is not None
    assert frames.depth is not None
    rows, columns = np.nonzero(frames.instances == 1)
    front = np.abs(frames.depth - 2.0) < 1e-3
    assert (np.nonzero(front)[1].min(), np.nonzero(front)[1].max()) == (55, 79)
    assert (np.nonzero(front)[0].min(), np.nonzero(front)[0].max()) == (38, 61)
    assert (columns.min(), columns.max()) == (53, 79)
    assert (rows.min(), rows.max()) == (38, 61)


def test_depth_is_right_to_a_millimetre_on_a_slope() -> None:
    tilted = shapes.panel(4, 4, at=(0, -2, 0)).turned(x=30, y=180)
    frames = facts(scene(node(tilted, Vec3(0, 0, 3))))
    assert frames.depth is not None
    assert frames.normals is not None
    middle = frames.normals[50, 50].astype(float)
    y, x = np.mgrid[0:100, 0:100]
    ray = np.stack([(x + 0.5) / 50 - 1, 1 - (y + 0.5) / 50, np.ones((100, 100))], 2)
    expected = (middle * (0, 0, 3)).sum() / (middle * ray).sum(2)
    hit = frames.instances == 1
    assert hit.sum() > 3000
    assert np.abs(frames.depth - expected)[hit].max() < 1e-3


@pytest.mark.parametrize(("yaw", "pitch"), [(90, 0), (0, -90), (0, 90), (215, 20)])
def test_a_turned_camera_sees_what_lies_there(yaw: float, pitch: float) -> None:
    camera = replace(AHEAD, yaw=yaw, pitch=pitch, field_of_view=10.0)
    view = View.of(camera)
    there = Vec3(*(4 * axis for axis in view.forward))
    frames = facts(scene(node(shapes.ball(0.5, 0.5, 0.5), there)), camera)
    assert frames.instances is not None
    assert (frames.instances == 1).mean() > 0.95


def test_a_picture_is_not_mirrored() -> None:
    """x runs to the right, y up."""
    small = shapes.ball(0.1, 0.1, 0.1)
    graph = scene(node(small, Vec3(0.5, 0, 1), 1), node(small, Vec3(0, 0.5, 1), 2))
    seen = facts(graph).instances
    assert seen is not None
    assert seen[50, 75] == 1
    assert seen[25, 50] == 2


def test_what_reaches_behind_the_eye_is_cut_at_the_near_plane() -> None:
    floor = shapes.box(20, 0.1, 20, at=(0, -1.1, 0))
    frames = facts(scene(node(floor)), replace(AHEAD, near=0.5))
    assert frames.depth is not None
    assert (frames.instances[60:] == 1).all()
    row = np.arange(60, 100)
    expected = 1 / ((row + 0.5) / 50 - 1)
    assert np.abs(frames.depth[60:, 50] - expected).max() < 1e-3


def test_nearer_than_near_and_farther_than_far_is_nothing() -> None:
    wall = shapes.box(9, 9, 0.1, at=(0, -4.5, 0))
    near = facts(scene(node(wall, Vec3(0, 0, 0.2))), replace(AHEAD, near=0.4))
    far = facts(scene(node(wall, Vec3(0, 0, 6))), replace(AHEAD, far=5.0))
    for frames in (near, far):
        assert (frames.instances == NOTHING).all()


def test_the_inside_of_a_closed_box_is_not_drawn() -> None:
    around = shapes.box(3, 3, 3, at=(0, -1.5, 0))
    assert (facts(scene(node(around))).instances == NOTHING).all()
    both = replace(PLAIN, two_sided=True)
    assert (facts(scene(node(around, look=both))).instances == 1).all()


def test_glass_is_peeled_in_order_of_depth() -> None:
    pane = shapes.box(9, 9, 0.02, at=(0, -4.5, 0))
    panes = [node(pane, Vec3(0, 0, z), 10 + k, GLASS) for k, z in enumerate((3, 1, 2, 1.5))]
    graph = scene(*panes, node(pane, Vec3(0, 0, 2.5), 7))
    drawn = draw(View.of(AHEAD), SceneCache().update(graph))
    assert len(drawn.glass.source) > 0
    frames = facts(graph)
    assert (frames.instances == 11).all()
    assert (frames.behind_glass == 7).all()
    assert frames.depth is not None
    assert np.abs(frames.depth - 2.49).max() < 1e-3


def test_shared_edges_leave_no_gap_and_no_overlap() -> None:
    """A fan of slivers covers every pixel once."""
    angles = np.linspace(0, 2 * np.pi, 240)
    rim = np.stack([3 * np.cos(angles), 3 * np.sin(angles), np.ones(240)], 1)
    points = np.concatenate([[[0.0123, 0.0456, 1.0]], rim])
    faces = np.array([[0, k, k + 1] for k in range(1, 240)])
    mesh = Mesh.of(points, np.tile([0.0, 0, -1], (241, 1)), np.zeros((241, 2)), faces)
    frames = facts(scene(node(mesh, look=replace(PLAIN, two_sided=True))))
    assert (frames.instances == 1).all()


def test_fine_samples_agree_with_a_picture_of_four_times_the_rows() -> None:
    scene_ = SceneCache().update(scene(node(shapes.ball(0.5, 0.4, 0.5), Vec3(0.1, 0, 2))))
    drawn = draw(View.of(AHEAD), scene_)
    pixels = np.arange(0, 10000, 3)
    sparse = look(drawn.solid, Samples(100, 100, (0.375, 0.875, 0.125, 0.625), pixels), 20)
    dense = look(drawn.solid, Samples(100, 100, (0.375, 0.875, 0.125, 0.625), np.arange(10000)), 20)
    assert np.array_equal(sparse.outline.reshape(4, -1), dense.outline.reshape(4, -1)[:, pixels])
    assert (sparse.outline >= 0).any()


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (9000, 10)])
def test_impossible_sizes_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="pixels"):
        Camera(Vec3(0, 0, 0), 0, 0, 60, *size)


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 5), (7, 301)])
def test_odd_sizes_are_drawn(size: tuple[int, int]) -> None:
    graph = scene(node(shapes.ball(0.5, 0.5, 0.5), Vec3(0, 0, 1)))
    camera = replace(AHEAD, width=size[0], height=size[1])
    frames = SoftRenderer(compiled=False).render(graph, camera, Channel.COLOR | FACTS)
    assert frames.color is not None
    assert frames.color.shape == (size[1], size[0], 3)
