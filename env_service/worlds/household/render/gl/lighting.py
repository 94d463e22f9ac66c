"""A scene's light as uniforms; the numbers come from where `soft` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from env_service.worlds.household.render.graph import Light, SceneGraph
from env_service.worlds.household.render.soft.lighting import Air, Lamps
from env_service.worlds.household.render.soft.materials import MaterialCache
from env_service.worlds.household.render.soft.room import air, lamps
from env_service.worlds.household.render.soft.triangles import TriangleCache

MOST_LAMPS = 16
"""Lamps that the shader knows; the strongest are taken."""


@dataclass(frozen=True, eq=False)
class LightTables:
    """What the shader is told: lamps (shadowed ones first), air, and the shadowed lights."""

    lamps: Lamps
    air: Air
    shadowed: tuple[Light, ...]


class SceneLight:
    """Works out the light of a graph, as far as it changed."""

    def __init__(self) -> None:
        self._triangles = TriangleCache()
        self._materials = MaterialCache()

    def update(self, graph: SceneGraph) -> LightTables:
        """The light of a graph as it stands."""
        fixed = {key: node for key, node in graph.nodes.items() if node.fixed}
        triangles = self._triangles.update(fixed)
        materials, places = self._materials.update(node.material for node in triangles.nodes)
        of_node = np.array([places[node.material] for node in triangles.nodes], np.int32)
        used = np.repeat(of_node, triangles.counts)
        table, order = lamps(graph.lighting)
        return LightTables(
            table, air(graph.lighting, triangles, materials, used), order[: table.shadowed]
        )


def set_light(shader: Any, light: LightTables) -> None:
    """Hands the light to a shader."""
    table, around = light.lamps, light.air
    count = min(len(table.x), MOST_LAMPS)
    place = np.zeros((MOST_LAMPS, 3), "<f4")
    color = np.zeros((MOST_LAMPS, 3), "<f4")
    fade = np.zeros(MOST_LAMPS, "<f4")
    place[:count] = np.stack([table.x, table.y, table.z], 1)[:count]
    color[:count] = np.stack([table.red, table.green, table.blue], 1)[:count]
    fade[:count] = table.fade[:count]
    shader["lamp_at"].write(place.tobytes())
    shader["lamp_color"].write(color.tobytes())
    shader["lamp_fade"].write(fade.tobytes())
    shader["lamps"].value = count
    shader["shadowed"].value = min(table.shadowed, count)
    for name in ("above", "below", "sky", "sky_from", "ceiling", "wall"):
        shader[name].value = tuple(float(v) for v in getattr(around, name))
    shader["floor_"].value = tuple(float(v) for v in around.floor)
