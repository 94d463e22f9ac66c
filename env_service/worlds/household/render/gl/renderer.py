"""The OpenGL renderer: the same light as `soft`, drawn by a graphics card.

Passes of a picture: what is seen where (instances, depth, normals), ambient occlusion from that,
shadow maps of the lamps that throw shadows, the lit scene with four samples a pixel, glass over it
from far to near, and the tone curve. Pictures are close to those of `soft`, not equal to them, and
differ between graphics cards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.gl.buffers import Store, Targets
from env_service.worlds.household.render.gl.context import open_context, program
from env_service.worlds.household.render.gl.lighting import SceneLight, set_light
from env_service.worlds.household.render.gl.shadows import ShadowMaps
from env_service.worlds.household.render.graph import Node, SceneGraph
from env_service.worlds.household.render.interface import NOTHING, Camera, Channel, Frames
from env_service.worlds.household.render.soft.occlusion import (
    RADIUS,
    SLACK,
    STRENGTH,
    TAPS,
    TURNS,
)
from env_service.worlds.household.render.soft.tone import linear
from env_service.worlds.household.render.soft.view import View

KEPT = 4
"""Frames remembered."""
SIZES = 3
"""Picture sizes whose targets are kept."""
SRC1_COLOR = 0x88F9
"""OpenGL's name of the blend factor: what the shader keeps of the light behind glass."""
FLOATS = "<f4"


class GlRenderer:
    """Draws with OpenGL by EGL."""

    def __init__(self) -> None:
        """Opens a context.

        Raises:
            NoDisplayError: there is none to be had; the message says why.
        """
        self._context = open_context()
        self._store = Store(self._context)
        self._facts = program(self._context, "place", "facts")
        self._light = program(self._context, "place", "light")
        self._screens = {
            name: program(self._context, "screen", name) for name in ("occlusion", "smooth", "tone")
        }
        self._blank = {
            name: self._context.vertex_array(each, []) for name, each in self._screens.items()
        }
        self._shadows = ShadowMaps(self._context, self._store)
        self._targets: OrderedDict[tuple[int, int], Targets] = OrderedDict()
        self._frames: OrderedDict[tuple[Camera, Channel], Frames] = OrderedDict()
        self._scene_light = SceneLight()
        self._graph: ReferenceType[SceneGraph] | None = None
        self._version = -1
        self._open = True

    @property
    def name(self) -> str:
        """ "gl" and the name of what draws."""
        return f"gl ({self._context.info['GL_RENDERER']})"

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> Frames:
        """See `interface.Renderer`."""
        same = self._graph is not None and self._graph() is graph
        if not same or graph.version != self._version:
            self._graph, self._version = ref(graph), graph.version
            self._frames.clear()
        known = self._frames.get((camera, channels))
        if known is None:
            known = self._draw(graph, camera, channels)
        self._frames[camera, channels] = known
        self._frames.move_to_end((camera, channels))
        while len(self._frames) > KEPT:
            self._frames.popitem(last=False)
        return known

    def close(self) -> None:
        """See `interface.Renderer`."""
        if self._open:
            self._open = False
            self._frames.clear()
            self._context.release()

    def _draw(self, graph: SceneGraph, camera: Camera, channels: Channel) -> Frames:
        view = View.of(camera)
        targets = self._sized(camera.width, camera.height)
        nodes = [node for node in graph.nodes.values() if len(node.mesh.faces)]
        solid = [node for node in nodes if node.material.opacity >= 1]
        clear = [node for node in nodes if node.material.opacity < 1]
        self._facts_pass(targets.facts, view, solid)
        seen = targets.facts
        color = front = behind = depth = normals = None
        if Channel.INSTANCES in channels:
            self._facts_pass(targets.front, view, [*solid, *clear])
            front = _read(targets.front, 0, 1, np.int32, camera)
            behind = _read(seen, 0, 1, np.int32, camera)
        if Channel.DEPTH in channels:
            depth = _read(seen, 1, 1, np.float32, camera)
        if Channel.NORMALS in channels:
            normals = _read(seen, 2, 4, np.float16, camera)[..., :3].astype(np.float32)
        if Channel.COLOR in channels:
            color = self._color(graph, view, targets, (solid, clear))
        arrays = (color, front, behind, depth, normals)
        return Frames(*(None if array is None else _frozen(array) for array in arrays))

    def _facts_pass(self, target: Any, view: View, nodes: Sequence[Node]) -> None:
        context = self._context
        target.use()
        context.disable(context.BLEND)
        context.enable(context.DEPTH_TEST)
        context.front_face = "cw"
        target.clear(depth=1.0)
        target.color_attachments[0].write(_filled(target, NOTHING, np.int32, 1))
        target.color_attachments[1].write(_filled(target, view.far, np.float32, 1))
        target.color_attachments[2].write(_filled(target, 0.0, np.float16, 4))
        set_view(self._facts, view)
        for node in nodes:
            self._facts["instance"].value = node.instance
            self._put(self._facts, node)

    def _put(self, shader: Any, node: Node) -> None:
        """Draws a node; one-sided ones without their backs."""
        context = self._context
        if node.material.two_sided:
            context.disable(context.CULL_FACE)
        else:
            context.enable(context.CULL_FACE)
        shader["place"].write(node.place.T.astype(FLOATS).tobytes())
        self._store.mesh(node.mesh, shader).render()

    def _color(
        self,
        graph: SceneGraph,
        view: View,
        targets: Targets,
        nodes: tuple[Sequence[Node], Sequence[Node]],
    ) -> NDArray[np.uint8]:
        context, shader, (solid, clear) = self._context, self._light, nodes
        light = self._scene_light.update(graph)
        self._shadows.update(light.shadowed, graph)
        self._occlusion(view, targets)
        targets.light.use()
        context.disable(context.BLEND)
        context.enable(context.DEPTH_TEST)
        context.front_face = "cw"
        targets.light.clear(0.0, 0.0, 0.0, 1.0, depth=1.0)
        set_view(shader, view)
        set_light(shader, light)
        self._shadows.bind(shader)
        targets.smooth.color_attachments[0].use(1)
        shader["occlusion"].value = 1
        shader["clear"].value = 0
        for node in solid:
            self._lit(node)
        context.enable(context.BLEND)
        context.blend_func = context.ONE, SRC1_COLOR
        targets.light.depth_mask = False
        shader["clear"].value = 1
        for node in sorted(clear, key=lambda node: -_distance(node, view)):
            self._lit(node)
        targets.light.depth_mask = True
        context.disable(context.BLEND)
        context.copy_framebuffer(targets.light_flat, targets.light)
        self._screen("tone", targets.shown, {"light": targets.light_flat.color_attachments[0]})
        raw = targets.shown.read(components=3, alignment=1)
        picture = np.frombuffer(raw, np.uint8).reshape(view.height, view.width, 3)
        return picture[::-1].copy()

    def _lit(self, node: Node) -> None:
        shader, material = self._light, node.material
        shader["color"].value = tuple(linear(c) for c in material.color)
        for name in ("opacity", "gloss", "metal", "glow"):
            shader[name].value = getattr(material, name)
        shader["shiny"].value = int(material.gloss >= 0.25 or material.metal > 0)
        shader["patterned"].value = int(material.texture is not None)
        texture = self._store.white
        if material.texture is not None:
            texture = self._store.texture(material.texture)
        texture.use(0)
        shader["pattern"].value = 0
        self._put(shader, node)

    def _occlusion(self, view: View, targets: Targets) -> None:
        shader = self._screens["occlusion"]
        for name in ("right", "up", "forward"):
            shader[name].value = getattr(view, name)
        shader["tangent"].value = (view.across, view.along)
        shader["radius"].value, shader["strength"].value = RADIUS, float(STRENGTH)
        shader["slack"].value, shader["turns"].value = float(SLACK), TURNS
        shader["taps"].value = TAPS
        deep, facing = targets.facts.color_attachments[1:]
        self._screen("occlusion", targets.open, {"deep": deep, "facing": facing})
        rough = targets.open.color_attachments[0]
        self._screen("smooth", targets.smooth, {"open": rough, "deep": deep})

    def _screen(self, name: str, target: Any, textures: dict[str, Any]) -> None:
        """Runs a shader over the whole picture."""
        context = self._context
        target.use()
        context.disable(context.DEPTH_TEST)
        context.disable(context.CULL_FACE)
        for unit, (key, texture) in enumerate(textures.items()):
            texture.use(unit)
            self._screens[name][key].value = unit
        self._blank[name].render(context.TRIANGLES, vertices=3)

    def _sized(self, width: int, height: int) -> Targets:
        found = self._targets.get((width, height))
        if found is None:
            found = self._targets[width, height] = Targets.of(self._context, width, height)
        self._targets.move_to_end((width, height))
        while len(self._targets) > SIZES:
            self._targets.popitem(last=False)[1].release()
        return found


def set_view(shader: Any, view: View) -> None:
    """A view's uniforms."""
    for name in ("eye", "right", "up", "forward"):
        if name in shader:
            shader[name].value = getattr(view, name)
    shader["tangent"].value = (view.across, view.along)
    shader["range"].value = (view.near, view.far)


def _read(
    target: Any, attachment: int, components: int, kind: type[Any], camera: Camera
) -> NDArray[Any]:
    """A target's content, top row first; [H, W], or [H, W, components] if there are several."""
    name = {np.int32: "i4", np.float32: "f4", np.float16: "f2"}[kind]
    raw = target.read(components=components, attachment=attachment, dtype=name, alignment=1)
    shape = (camera.height, camera.width, components)[: 3 if components > 1 else 2]
    return np.frombuffer(raw, kind).reshape(shape)[::-1].copy()


def _filled(target: Any, value: float, kind: type[Any], components: int) -> bytes:
    return np.full(target.width * target.height * components, value, kind).tobytes()


def _distance(node: Node, view: View) -> float:
    """How far the middle of a node is from the eye."""
    low, high = node.mesh.bounds
    middle = (low.astype(np.float64) + high) / 2
    at = [sum(node.place[i, k] * middle[k] for k in range(3)) + node.place[i, 3] for i in range(3)]
    return float(sum((a - b) ** 2 for a, b in zip(at, view.eye, strict=True)))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
