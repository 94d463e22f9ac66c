"""Shadow maps on the graphics card: what each lamp under the ceiling sees, straight down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from env_service.worlds.household.render.gl.buffers import SHADOW_SIDE, Store
from env_service.worlds.household.render.gl.context import program
from env_service.worlds.household.render.graph import Light, SceneGraph
from env_service.worlds.household.render.soft.shadows import NEAR, WIDTH

MOST = 2


class ShadowMaps:
    """The maps of the lamps that throw shadows; drawn again when the graph changed."""

    def __init__(self, context: Any, store: Store) -> None:
        self._context, self._store = context, store
        self._program = program(context, "place", "shadow")
        self._maps = []
        for _ in range(MOST):
            depth = context.depth_texture((SHADOW_SIDE, SHADOW_SIDE))
            depth.compare_func = "<="
            depth.filter = (context.LINEAR, context.LINEAR)
            self._maps.append((depth, context.framebuffer(depth_attachment=depth)))
        self._seen: tuple[object, ...] = ()
        self._far = 1.0

    def update(self, lights: Sequence[Light], graph: SceneGraph) -> None:
        """Draws the maps of some lamps, if anything changed."""
        state = (tuple(lights), id(graph), graph.version)
        if state == self._seen:
            return
        self._seen = state
        self._far = max((light.reach for light in lights), default=1.0)
        for light, (_, target) in zip(lights[:MOST], self._maps, strict=False):
            self._draw(light, graph, target)

    def bind(self, shader: Any) -> None:
        """Hands the maps to a shader, on the texture units 2 and 3."""
        for k, (depth, _) in enumerate(self._maps):
            depth.use(2 + k)
            shader[f"shadow_{k}"].value = 2 + k
        shader["shadow_range"].value = (NEAR, self._far)

    def _draw(self, light: Light, graph: SceneGraph, target: Any) -> None:
        context, shader = self._context, self._program
        target.use()
        target.clear(depth=1.0)
        context.enable(context.DEPTH_TEST)
        # the map's up is +z where x is right and the view goes down: mirrored, and of one-sided
        # things the far sides are drawn, so that a lit surface never shadows itself
        context.front_face = "cw"
        shader["eye"].value = light.position.tuple()
        shader["right"].value, shader["up"].value = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
        shader["forward"].value = (0.0, -1.0, 0.0)
        shader["tangent"].value = (WIDTH, WIDTH)
        shader["range"].value = (NEAR, self._far)
        for node in graph.nodes.values():
            material = node.material
            if not node.casts_shadow or material.opacity < 1 or not len(node.mesh.faces):
                continue
            if material.two_sided:
                context.disable(context.CULL_FACE)
            else:
                context.enable(context.CULL_FACE)
                context.cull_face = "front"
            shader["place"].write(node.place.T.astype("<f4").tobytes())
            self._store.mesh(node.mesh, shader).render()
        context.cull_face = "back"
