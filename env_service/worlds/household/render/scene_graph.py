"""The scene to draw: meshes with materials at places, and lights; every change is recorded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Color, Material, Mesh
from env_service.worlds.household.geometry import Vec3


@dataclass(frozen=True, eq=False)
class Node:
    """One mesh at a place.

    Attributes:
        mesh, material: what is drawn.
        place: float64 [3, 4], affine, from the mesh's frame to the room's.
        instance: the number that instance pictures hold for it; parts of an object share one.
        fixed: whether it never moves in an episode (walls, counters); lets a renderer keep work.
        casts_shadow: False for glass, liquids, flames.
        reflects: whether it is a mirror that shows the room; its front is its mesh's +z.
    """

    mesh: Mesh
    material: Material
    place: NDArray[np.float64]
    instance: int
    fixed: bool = False
    casts_shadow: bool = True
    reflects: bool = False


@dataclass(frozen=True)
class Light:
    """A point light.

    Attributes:
        position: metres.
        color: sRGB.
        power: about 4 for a ceiling light, 1 for a bedside lamp.
        reach: metres after which it is gone.
        shadows: whether things throw shadows in it.
    """

    position: Vec3
    color: Color = (1.0, 1.0, 1.0)
    power: float = 1.0
    reach: float = 10.0
    shadows: bool = False


@dataclass(frozen=True)
class Lighting:
    """All light of a scene.

    Attributes:
        lights: point lights.
        ambient: light from everywhere, linear, about 0.3 in a lit room.
        sky: light from the windows' side, linear strength; 0 for none.
        sky_direction: from which the sky's light comes, unit length, into the room reversed (it
            points to the window).
        tint: sRGB of ambient light.
        from_below: ambient light that comes from below, as a share of that from above; None where
            the floor's colour decides.
    """

    lights: tuple[Light, ...] = ()
    ambient: float = 0.3
    sky: float = 0.0
    sky_direction: Vec3 = field(default=Vec3(0.0, 1.0, 0.0))
    tint: Color = (1.0, 1.0, 1.0)
    from_below: float | None = None


class SceneGraph:
    """Nodes by key, and the lighting; every change raises the version.

    Renderers remember the version and the nodes they saw: a node object never changes, so those
    that are the same object need no work.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._lighting = Lighting()
        self._version = 0

    @property
    def version(self) -> int:
        """Rises with every change, never falls; equal versions of one graph look the same."""
        return self._version

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes by key, in the order of their first insertion."""
        return MappingProxyType(self._nodes)

    @property
    def lighting(self) -> Lighting:
        """The light."""
        return self._lighting

    def put(self, key: str, node: Node) -> None:
        """Adds a node or replaces the one of that key."""
        if self._nodes.get(key) is not node:
            self._nodes[key] = node
            self._version += 1

    def drop(self, keys: Iterable[str]) -> None:
        """Removes nodes; an unknown key is not an error."""
        for key in keys:
            if self._nodes.pop(key, None) is not None:
                self._version += 1

    def light(self, lighting: Lighting) -> None:
        """Sets the light."""
        if lighting != self._lighting:
            self._lighting = lighting
            self._version += 1
