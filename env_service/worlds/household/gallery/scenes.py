"""Panels of scenes: two corners and from above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.shapes import box
from env_service.worlds.household.gallery.sheets import Panel
from env_service.worlds.household.gallery.views import above, corners
from env_service.worlds.household.geometry import IDENTITY, Transform, Vec3
from env_service.worlds.household.presentation import Presentation
from env_service.worlds.household.render.graph import Node, SceneGraph
from env_service.worlds.household.render.interface import NOTHING, Camera, Channel, Renderer
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.state import HouseState

LIDS = frozenset({"Ceiling", "RangeHood", "Sky"})
"""Structure that a view from above leaves out."""
GROUND = Material((0.96, 0.95, 0.93), gloss=0.0, glow=1.6)
"""What a room stands on when it is seen from above: as bright as the sheets."""
VIEWS = ("corner", "other-corner", "above")


def scene_panels(
    renderer: Renderer, names: Iterable[str], load: Callable[[str], SceneSpec], side: int
) -> Iterator[Panel]:
    """Three square panels for each scene, in the order of VIEWS."""
    for name in names:
        scene = load(name)
        for view, said in zip(VIEWS, ("", ", other corner", ", from above"), strict=True):
            yield Panel(f"{name}{said}", scene_picture(renderer, scene, view, side, side))


def scene_picture(
    renderer: Renderer, scene: SceneSpec, view: str, width: int, height: int
) -> NDArray[np.uint8]:
    """One picture of a scene as it loads, uint8 [height, width, 3].

    Raises:
        ValueError: a view that is not in VIEWS, or a renderer that makes no pictures.
    """
    if view not in VIEWS:
        raise ValueError(f"a view is one of {', '.join(VIEWS)}, not {view!r}")
    graph = Presentation(scene).graph(HouseState.at_start(scene))
    if view == "above":
        _uncover(graph, scene)
        return _drawn(renderer, graph, above(scene, width, height))
    return _drawn(renderer, graph, corners(scene, width, height)[VIEWS.index(view)])


def _uncover(graph: SceneGraph, scene: SceneSpec) -> None:
    lids = tuple(f"{spec.name}/" for spec in scene.structure if spec.type in LIDS)
    graph.drop([key for key in graph.nodes if key.startswith(lids)])
    center, size = scene.bounds.center, scene.bounds.size
    slab = box(size.x * 6, 0.02, size.z * 6, at=(0.0, -0.02, 0.0))
    place = Transform(IDENTITY, Vec3(center.x, center.y - size.y / 2 - 0.02, center.z))
    graph.put("ground", Node(slab, GROUND, place.array(), NOTHING, casts_shadow=False))


def _drawn(renderer: Renderer, graph: SceneGraph, camera: Camera) -> NDArray[np.uint8]:
    color = renderer.render(graph, camera, Channel.COLOR).color
    if color is None:
        raise ValueError(f"the renderer {renderer.name} makes no pictures")
    return color
