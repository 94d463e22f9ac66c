"""The OpenGL renderer: the same light as `soft`, drawn by a graphics card."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Mesh, Texture
from env_service.worlds.household.render.gl.context import open_context, program
from env_service.worlds.household.render.interface import NOTHING, Camera, CameraPictures, Channel
from env_service.worlds.household.render.scene_graph import Light, Node, SceneGraph
from env_service.worlds.household.render.soft.lighting import Air, Lamps
from env_service.worlds.household.render.soft.materials import MaterialCache
from env_service.worlds.household.render.soft.occlusion import RADIUS, SLACK, STRENGTH, TAPS, TURNS
from env_service.worlds.household.render.soft.projection import View
from env_service.worlds.household.render.soft.scene_cache import air, lamps
from env_service.worlds.household.render.soft.shadows import NEAR, WIDTH
from env_service.worlds.household.render.soft.tone import linear
from env_service.worlds.household.render.soft.triangles import TriangleCache

KEPT = 4
"""Views remembered."""
SIZES = 3
"""Picture sizes whose targets are kept."""
SRC1_COLOR = 0x88F9
"""OpenGL's name of the blend factor: the share of the light behind glass that the shader keeps."""
FLOATS = "<f4"


class GlRenderer:
    """Draws with OpenGL by EGL."""

    def __init__(self) -> None:
        """Opens a context.

        Raises:
            NoDisplayError: none is available; the message says why.
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
        self._frames: OrderedDict[tuple[Camera, Channel], CameraPictures] = OrderedDict()
        self._scene_light = SceneLight()
        self._graph: ReferenceType[SceneGraph] | None = None
        self._version = -1
        self._open = True

    @property
    def name(self) -> str:
        """ "gl" and the name of what draws."""
        return f"gl ({self._context.info['GL_RENDERER']})"

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
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

    def _draw(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
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
        return CameraPictures(*(None if array is None else _frozen(array) for array in arrays))

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


# --- A scene's light as uniforms, computed by `soft`'s functions

MOST_LAMPS = 16
"""The shader's number of lamps; the strongest are taken."""


@dataclass(frozen=True, eq=False)
class LightTables:
    """The shader's input: lamps (shadowed ones first), air, and the shadowed lights."""

    lamps: Lamps
    air: Air
    shadowed: tuple[Light, ...]


class SceneLight:
    """Computes the light of a graph, as far as it changed."""

    def __init__(self) -> None:
        self._triangles = TriangleCache()
        self._materials = MaterialCache()

    def update(self, graph: SceneGraph) -> LightTables:
        """The light of a graph in its present state."""
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


# --- Shadow maps on the graphics card: what each lamp under the ceiling sees, straight down

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


# --- Memory of the graphics card: meshes, textures, and the targets of a picture's size

SRGB8 = 0x8C41
SAMPLES = 4
SHADOW_SIDE = 2048
LAYOUT = "3f 3f 2f"
NAMES = ("point", "normal", "uv")


class Store:
    """Meshes and textures, uploaded once each."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._meshes: WeakKeyDictionary[Mesh, tuple[Any, Any, dict[int, Any]]] = WeakKeyDictionary()
        self._textures: dict[str, Any] = {}
        self.white = context.texture((1, 1), 3, b"\xff\xff\xff", alignment=1)

    def mesh(self, mesh: Mesh, program: Any) -> Any:
        """A mesh's vertex array for a program."""
        known = self._meshes.get(mesh)
        if known is None:
            corners = np.concatenate([mesh.points, mesh.normals, mesh.uv], 1).astype("<f4")
            points = self._context.buffer(corners.tobytes())
            faces = self._context.buffer(mesh.faces.astype("<i4").tobytes())
            known = self._meshes[mesh] = (points, faces, {})
        points, faces, arrays = known
        found = arrays.get(program.glo)
        if found is None:
            taken = [(k, name) for k, name in enumerate(NAMES) if name in program]
            layout = " ".join(
                part if any(k == i for i, _ in taken) else _skipped(part)
                for k, part in enumerate(LAYOUT.split())
            )
            content = [(points, layout, *(name for _, name in taken))]
            found = arrays[program.glo] = self._context.vertex_array(program, content, faces)
        return found

    def texture(self, texture: Texture) -> Any:
        """A texture with its mip maps, decoded from sRGB when sampled."""
        found = self._textures.get(texture.key)
        if found is None:
            high, wide = texture.pixels.shape[:2]
            found = self._context.texture(
                (wide, high), 3, texture.pixels.tobytes(), alignment=1, internal_format=SRGB8
            )
            found.build_mipmaps()
            found.filter = (self._context.LINEAR_MIPMAP_LINEAR, self._context.LINEAR)
            self._textures[texture.key] = found
        return found


def _skipped(part: str) -> str:
    return f"{int(part[0]) * 4}x"


@dataclass(frozen=True, eq=False)
class Targets:
    """Framebuffers of one picture size.

    Attributes:
        facts: instance (int32), depth (float32, metres) and normal of solid surfaces.
        front: instance of the front-most surface, glass included.
        open, smooth: ambient occlusion, before and after smoothing.
        light: linear colours, several samples a pixel; light_flat: one.
        shown: bytes.
    """

    facts: Any
    front: Any
    open: Any
    smooth: Any
    light: Any
    light_flat: Any
    shown: Any

    @staticmethod
    def of(context: Any, width: int, height: int) -> Targets:
        """New targets."""
        size = (width, height)

        def flat(components: int, kind: str) -> Any:
            texture = context.texture(size, components, dtype=kind)
            texture.filter = (context.NEAREST, context.NEAREST)
            return texture

        def buffer(*textures: Any) -> Any:
            return context.framebuffer(list(textures))

        facts = context.framebuffer(
            [flat(1, "i4"), flat(1, "f4"), flat(4, "f2")], context.depth_renderbuffer(size)
        )
        front = context.framebuffer(
            [flat(1, "i4"), flat(1, "f4"), flat(4, "f2")], context.depth_renderbuffer(size)
        )
        light = context.framebuffer(
            [context.renderbuffer(size, 4, samples=SAMPLES, dtype="f2")],
            context.depth_renderbuffer(size, samples=SAMPLES),
        )
        return Targets(
            facts,
            front,
            buffer(flat(1, "f4")),
            buffer(flat(1, "f4")),
            light,
            buffer(flat(4, "f2")),
            buffer(flat(4, "f1")),
        )

    def release(self) -> None:
        """Frees the memory."""
        for target in vars(self).values():
            for attachment in (*target.color_attachments, target.depth_attachment):
                if attachment is not None:
                    attachment.release()
            target.release()
