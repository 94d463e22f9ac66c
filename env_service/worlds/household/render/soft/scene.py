"""A scene graph as the renderer keeps it between frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.graph import Lighting, SceneGraph
from env_service.worlds.household.render.soft.lighting import Air, Lamps
from env_service.worlds.household.render.soft.materials import MaterialCache, Materials
from env_service.worlds.household.render.soft.room import air, lamps
from env_service.worlds.household.render.soft.shadows import ShadowCache, ShadowMaps
from env_service.worlds.household.render.soft.triangles import TriangleCache, Triangles


class Light(NamedTuple):
    """All light of a scene; `shadows` holds a map for each lamp that throws them."""

    lamps: Lamps
    air: Air
    shadows: ShadowMaps


@dataclass(frozen=True, eq=False)
class Scene:
    """All that does not depend on the camera. What only pictures need is worked out at the first
    one: finding out what is seen needs neither light nor textures.

    Attributes:
        triangles, materials: what there is.
        material: int32 [T], of each triangle.
        two_sided, clear: bool [T], of each triangle; clear ones are glass.
        instance: int32 [T].
        lighting: as the graph has it.
        cache: where shadow maps are kept.
    """

    triangles: Triangles
    materials: Materials
    material: NDArray[np.int32]
    two_sided: NDArray[np.bool_]
    clear: NDArray[np.bool_]
    instance: NDArray[np.int32]
    lighting: Lighting
    cache: ShadowCache

    @cached_property
    def texels(self) -> NDArray[np.float32]:
        """float32 [T], texels per square metre; 0 without a texture."""
        return _texel_density(self.triangles, self.materials.texels[self.material])

    @cached_property
    def light(self) -> Light:
        """The light; worked out when a picture needs it, as id passes do not."""
        table, order = lamps(self.lighting)
        return Light(
            table,
            air(self.lighting, self.triangles, self.materials, self.material),
            self.cache.update(order[: table.shadowed], self.triangles),
        )


class SceneCache:
    """Takes over a graph's changes."""

    def __init__(self) -> None:
        self._triangles = TriangleCache()
        self._materials = MaterialCache()
        self._shadows = ShadowCache()

    def update(self, graph: SceneGraph) -> Scene:
        """The scene as the graph stands now."""
        triangles = self._triangles.update(graph.nodes)
        nodes = triangles.nodes
        materials, places = self._materials.update(node.material for node in nodes)
        of_node = np.array([places[node.material] for node in nodes], np.int32)
        instances = np.array([node.instance for node in nodes], np.int32)
        material = np.repeat(of_node, triangles.counts)
        return Scene(
            triangles,
            materials,
            material,
            materials.two_sided[material],
            materials.opacity[material] < 1,
            np.repeat(instances, triangles.counts),
            graph.lighting,
            self._shadows,
        )


def _texel_density(triangles: Triangles, texels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Texels per square metre of each triangle, by the area it covers on its texture."""
    u, v = triangles.uv.astype(np.float64)
    covered = np.abs((u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0])) / 2
    density: NDArray[np.float32] = (covered * texels / np.maximum(triangles.area, 1e-12)).astype(
        np.float32
    )
    return density
