"""Panels of scenes for the gallery: two corners and from above, and the cameras for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from env_service.contact_sheets import Panel
from env_service.worlds.household.assets.model import Material
from env_service.worlds.household.assets.shapes import box
from env_service.worlds.household.geometry import IDENTITY, Rotation, Transform, Vec3, yaw_towards
from env_service.worlds.household.render.interface import NOTHING, Camera, Channel, Renderer
from env_service.worlds.household.render.scene_graph import Node, SceneGraph
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, StructureSpec
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.state import HouseholdState

LIDS = frozenset({"Ceiling", "RangeHood", "Sky"})
"""Structure that a view from above leaves out."""
GROUND = Material((0.96, 0.95, 0.93), gloss=0.0, glow=1.6)
"""The ground around a room in the view from above: as bright as the sheets."""
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
    graph = SceneGraphBuilder(scene).graph(HouseholdState.at_start(scene))
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


# --- Camera positions that show a whole room: in two corners, and above it

EYE = 1.62
"""Metres above the floor; a person's eyes."""
FROM_WALL = 0.18
STEP = 0.1
"""Metres between two places that are tried on the way from a corner to the room's middle."""
ELBOWS = 0.12
"""Metres that stay free around the eye."""
REACH = 0.6
"""Share of the way from a corner to the middle on which one may stand."""
SEEN = 0.12
"""Metres that one more thing in view is worth."""
FAN = tuple(range(-36, 37, 4))
FAR = 6.0
"""Directions in which the sight is measured, degrees off the middle, and up to how many metres."""
WIDE, ABOVE = 78.0, 50.0
"""Fields of view, degrees: in a corner, and from above."""


def corners(scene: SceneSpec, width: int, height: int) -> tuple[Camera, Camera]:
    """Views to the room's middle from the two corners from which most of it is seen."""
    things = _Things(scene)
    found = [_best(scene, which, things) for which in range(4)]
    found.sort(key=lambda view: -view[0])
    first, second = (_camera(scene, eye, width, height) for _, eye in found[:2])
    return first, second


def above(scene: SceneSpec, width: int, height: int) -> Camera:
    """A view straight down on the whole room, its longer side across; the ceiling is in the way
    and has to be left out."""
    center, size = scene.bounds.center, scene.bounds.size
    along_x = (size.x >= size.z) == (width >= height)
    across, down = (size.x, size.z) if along_x else (size.z, size.x)
    half = math.tan(math.radians(ABOVE / 2))
    tall = max(down, across * height / width) / 2 * 1.06
    eye = Vec3(center.x, center.y + size.y / 2 + tall / half, center.z)
    yaw = 0.0 if along_x else 90.0
    return Camera(eye, yaw, 90.0, ABOVE, width, height, near=0.1, far=60.0)


def _best(scene: SceneSpec, which: int, things: _Things) -> tuple[float, Vec3]:
    """Where to put the eye for one of the four corners, and how far one sees from there."""
    center, size = scene.bounds.center, scene.bounds.size
    sign_x, sign_z = ((-1, -1), (1, 1), (1, -1), (-1, 1))[which]
    high = center.y - size.y / 2 + min(EYE, size.y - 0.3)
    start = Vec3(
        center.x + sign_x * (size.x / 2 - FROM_WALL), high,
        center.z + sign_z * (size.z / 2 - FROM_WALL),
    )  # fmt: skip
    way = Vec3(center.x, high, center.z) - start
    steps = max(1, int(way.length() * REACH / STEP))
    free = []
    for step in range(steps):
        eye = start + way * (step * REACH / steps)
        if not things.hold(eye):
            # of equal views the one from further off
            free.append((things.sight(eye, yaw_towards(eye, center)) - 0.03 * step, -step, eye))
    if not free:
        return 0.0, start
    best = max(free, key=lambda view: view[:2])
    return best[0], best[2]


class _Things:
    """Objects that block the view."""

    def __init__(self, scene: SceneSpec) -> None:
        flat = {"Ceiling", "Sky", "Floor", "Rug", "Baseboard"}
        clear = {"ShowerDoor", "ShowerGlass", "Window"}
        parts: tuple[ObjectSpec | StructureSpec, ...] = (*scene.objects, *scene.structure)
        solid = [part for part in parts if part.type not in flat]
        self._bodies = [part.body for part in solid if part.type != "Wall"]
        opaque = [part.body.bounds() for part in solid if part.type not in clear]
        self._low = np.array([(b.center - b.size * 0.5).tuple() for b in opaque]).reshape(-1, 3)
        self._high = np.array([(b.center + b.size * 0.5).tuple() for b in opaque]).reshape(-1, 3)

    def hold(self, eye: Vec3) -> bool:
        """Whether the camera would be inside an object, or close to one."""
        return any(body.contains(eye, ELBOWS) for body in self._bodies)

    def sight(self, eye: Vec3, yaw: float) -> float:
        """How far one sees and how much: metres, the mean over a fan of directions, and SEEN more
        for each thing."""
        if not len(self._low):
            return FAR
        fan = [
            Rotation.from_euler(Vec3(pitch, yaw + turn, 0.0)).apply(Vec3(0.0, 0.0, 1.0)).tuple()
            for turn in FAN
            for pitch in (0.0, 20.0, 40.0)
        ]
        ways = np.array(fan)[:, None]
        ways = np.where(np.abs(ways) < 1e-9, 1e-9, ways)
        here = np.array(eye.tuple())
        one, two = (self._low - here) / ways, (self._high - here) / ways
        enter, leave = np.minimum(one, two).max(2), np.maximum(one, two).min(2)
        hit = (enter < leave) & (leave > 0)
        away = np.where(hit, np.maximum(enter, 0.0), FAR)
        seen = set(away.argmin(1)[hit.any(1)].tolist())
        return math.fsum(away.min(1).clip(max=FAR).tolist()) / len(fan) + SEEN * len(seen)


def _camera(scene: SceneSpec, eye: Vec3, width: int, height: int) -> Camera:
    center = scene.bounds.center
    away = math.hypot(eye.x - center.x, eye.z - center.z)
    floor = center.y - scene.bounds.size.y / 2
    pitch = math.degrees(math.atan2(eye.y - floor - 0.75, max(away, 0.5)))
    yaw = yaw_towards(eye, center)
    return Camera(eye, yaw, min(pitch, 30.0), WIDE, width, height, near=0.05, far=40.0)
