"""A scene graph as the renderer keeps it between frames: triangles, materials, shadow maps, and
the tables of light.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.scene_graph import Light, Lighting, SceneGraph
from env_service.worlds.household.render.soft.lighting import Air, Lamps, Numbers
from env_service.worlds.household.render.soft.materials import MaterialCache, Materials
from env_service.worlds.household.render.soft.shadows import ShadowCache, ShadowMaps
from env_service.worlds.household.render.soft.tone import linear
from env_service.worlds.household.render.soft.triangles import TriangleCache, Triangles


class LightInputs(NamedTuple):
    """All light of a scene; `shadows` holds a map for each lamp that throws them."""

    lamps: Lamps
    air: Air
    shadows: ShadowMaps


@dataclass(frozen=True, eq=False)
class RenderScene:
    """All that does not depend on the camera. Data that only pictures need is computed for the
    first picture: visibility needs neither light nor textures.

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
    def light(self) -> LightInputs:
        """The light, computed when a picture needs it; id passes do not."""
        table, order = lamps(self.lighting)
        return LightInputs(
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

    def update(self, graph: SceneGraph) -> RenderScene:
        """The scene of the graph's present state."""
        triangles = self._triangles.update(graph.nodes)
        nodes = triangles.nodes
        materials, places = self._materials.update(node.material for node in nodes)
        of_node = np.array([places[node.material] for node in nodes], np.int32)
        instances = np.array([node.instance for node in nodes], np.int32)
        material = np.repeat(of_node, triangles.counts)
        return RenderScene(
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


# --- From a scene's lighting and colours to the tables that `lighting` works with

F4 = np.float32

EXPOSURE = 0.8
"""All light is multiplied by this: what is white then stays where the tone curve is not yet flat,
and its shading can be seen."""

LAMP = 0.44
"""Light on a surface close to a lamp of power 1, before distance takes its share."""

SHADOWED = 2
"""At most so many lamps throw shadows; each costs a look-up per pixel."""

BOUNCE = 0.75
"""Of the floor's light, the share that comes back from below."""

PLAIN = 0.5
"""Brightness of ceiling, walls and floor in a scene that has none."""


def lamps(lighting: Lighting) -> tuple[Lamps, tuple[Light, ...]]:
    """The lamps as tables, and the lights in their order: those with shadows first."""
    lights = [light for light in lighting.lights if light.power > 0 and light.reach > 0]
    shadowed = [light for light in lights if light.shadows][:SHADOWED]
    order = (*shadowed, *(light for light in lights if light not in shadowed))
    rows = [
        (
            *light.position.tuple(),
            *(linear(c) * light.power * LAMP * EXPOSURE for c in light.color),
            1.0 / (light.reach * light.reach),
        )
        for light in order
    ]
    columns = np.array(rows, F4).reshape(-1, 7).T.copy()
    x, y, z, red, green, blue, fade = columns
    return Lamps(x, y, z, red, green, blue, fade, len(shadowed)), order


def air(
    lighting: Lighting, triangles: Triangles, materials: Materials, used: NDArray[np.int32]
) -> Air:
    """Ambient light, sky light and the room's mirror image.

    `used` is the material of each triangle. Ceiling, walls and floor are what of the fixed
    triangles faces down, sideways and up, by area.
    """
    tint = np.array([linear(c) for c in lighting.tint])
    ceiling, wall, floor = _surroundings(triangles, materials, used)
    above = EXPOSURE * lighting.ambient * tint
    level = lighting.ambient * tint
    for light in lighting.lights:
        color = np.array([linear(c) for c in light.color])
        level = level + 0.16 * LAMP * light.power * color
    level = EXPOSURE * (level + 0.4 * lighting.sky)
    below = 0.25 + BOUNCE * floor
    if lighting.from_below is not None:
        below = np.full(3, lighting.from_below)
    toward = np.array(lighting.sky_direction.tuple())
    return Air(
        _numbers(above * 1.1),
        _numbers(above * below),
        _numbers(np.full(3, EXPOSURE * lighting.sky)),
        _numbers(toward),
        _numbers(level * ceiling * 2.2),
        _numbers(level * wall * 1.35),
        _numbers(level * floor * 0.8),
    )


def _numbers(values: NDArray[np.float64]) -> Numbers:
    x, y, z = values
    return F4(x), F4(y), F4(z)


def _surroundings(
    triangles: Triangles, materials: Materials, used: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mean linear colours, 3 numbers each, of ceiling, walls and floor."""
    fixed = np.array([node.fixed for node in triangles.nodes], np.bool_)
    weight = triangles.area * fixed[triangles.node] if len(fixed) else triangles.area
    upward = triangles.normals[1, 0]
    color = materials.mean[:, used] if len(used) else np.zeros((3, 0))
    found = []
    for mask in (upward < -0.7, np.abs(upward) <= 0.7, upward > 0.7):
        share = weight * mask
        total = float(share.sum())
        mean = np.array([float((row * share).sum()) for row in color])
        found.append(mean / total if total > 0 else np.full(3, PLAIN))
    return found[0], found[1], found[2]
