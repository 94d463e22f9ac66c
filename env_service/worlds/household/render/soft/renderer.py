"""The software renderer: what it keeps between frames, and the steps of a frame."""

from collections import OrderedDict
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.interface import NOTHING, Camera, CameraPictures, Channel
from env_service.worlds.household.render.scene_graph import SceneGraph
from env_service.worlds.household.render.soft import antialiasing, kernels
from env_service.worlds.household.render.soft.kernels import Kernels
from env_service.worlds.household.render.soft.occlusion import Shade, occlusion, spread, step_for
from env_service.worlds.household.render.soft.pixel_ops import Floats
from env_service.worlds.household.render.soft.projection import View, tangents
from env_service.worlds.household.render.soft.raster import Fill, Samples, fill
from env_service.worlds.household.render.soft.scene_cache import RenderScene, SceneCache
from env_service.worlds.household.render.soft.shading import Shader
from env_service.worlds.household.render.soft.surface import bent_normal, planes
from env_service.worlds.household.render.soft.tone import curve, packed, packed_toned, unpacked
from env_service.worlds.household.render.soft.visibility import Drawn, Seen, draw, see

F4 = np.float32
KEPT, KEPT_BYTES = 2, 16 << 20
"""Views remembered: as many as fit these bytes, and at least so many."""


PATIENCE = 8 << 20
"""Pixels coloured by NumPy before compiled loops are loaded: that takes as long (0.7 s, many
seconds if they must be compiled) as they save on so many. A process that draws little, or only
finds out what is seen, never waits for them."""


class SoftRenderer:
    """Draws with NumPy alone; with numba, if it is installed, faster and to the same bytes."""

    def __init__(self, *, compiled: bool | None = None) -> None:
        """With `compiled`, hot loops are compiled by numba, from the first frame on; True raises
        ValueError where it is not installed. None means: where it is installed, and as soon as
        that pays, see PATIENCE."""
        if compiled and kernels.compiled() is None:
            raise ValueError("numba is not installed")
        self._may_compile = compiled is not False and kernels.installed()
        self._patience = 0 if compiled else PATIENCE
        self._kernels: Kernels | None = None
        self._fill: Fill = fill
        self._cache = SceneCache()
        self._scene: RenderScene | None = None
        self._graph: ReferenceType[SceneGraph] | None = None
        self._version = -1
        self._frames: OrderedDict[tuple[Camera, Channel], CameraPictures] = OrderedDict()
        self._last: tuple[Camera, Drawn, Seen] | None = None

    @property
    def name(self) -> str:
        """ "soft", or "soft+numba" where that may compile hot loops; the bytes are the same."""
        return "soft+numba" if self._may_compile else "soft"

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
        """See `interface.Renderer`."""
        scene = self._sync(graph)
        known = self._frames.get((camera, channels))
        if known is None:
            known = self._draw(scene, camera, channels)
        self._frames[camera, channels] = known
        self._frames.move_to_end((camera, channels))
        while len(self._frames) > KEPT and sum(map(_size, self._frames.values())) > KEPT_BYTES:
            self._frames.popitem(last=False)
        return known

    def close(self) -> None:
        """See `interface.Renderer`."""
        self._frames.clear()
        self._cache = SceneCache()
        self._scene = self._graph = self._last = None

    def _sync(self, graph: SceneGraph) -> RenderScene:
        same = self._graph is not None and self._graph() is graph
        if self._scene is None or not same or graph.version != self._version:
            self._scene = self._cache.update(graph)
            self._graph, self._version = ref(graph), graph.version
            self._frames.clear()
            self._last = None
        return self._scene

    def _draw(self, scene: RenderScene, camera: Camera, channels: Channel) -> CameraPictures:
        if self._may_compile and self._kernels is None:
            self._consider(camera.width * camera.height if Channel.COLOR in channels else 0)
        view = View.of(camera)
        drawn, seen = self._look(scene, camera, view)
        shape = (camera.height, camera.width)
        color = instances = behind = depth = normals = None
        if Channel.COLOR in channels:
            color = self._color(scene, view, drawn, seen).reshape(*shape, 3)
        if Channel.INSTANCES in channels:
            names = np.append(scene.instance, np.int32(NOTHING))  # found by NONE, which is -1
            instances = names.take(seen.front).reshape(shape)
            behind = names.take(seen.triangle).reshape(shape)
        if Channel.DEPTH in channels:
            z = np.where(seen.triangle >= 0, F4(1) / seen.inverse, F4(view.far))
            depth = z.reshape(shape)
        if Channel.NORMALS in channels:
            normals = _normals(scene, view, seen).reshape(*shape, 3)
        for array in (color, instances, behind, depth, normals):
            if array is not None:
                array.setflags(write=False)
        return CameraPictures(color, instances, behind, depth, normals)

    def _consider(self, pixels: int) -> None:
        """Takes the compiled loops if they are loaded, or worth loading for this number of pixels
        to colour next."""
        self._patience -= pixels
        if self._patience <= 0 or kernels.loaded():
            self._kernels = kernels.compiled()
            self._may_compile = self._kernels is not None
            self._fill = self._kernels.fill if self._kernels else fill

    def _look(self, scene: RenderScene, camera: Camera, view: View) -> tuple[Drawn, Seen]:
        """What the pixels' middles see; that of the last camera is kept, as a picture is often
        asked for after its instances."""
        if self._last is None or self._last[0] != camera:
            drawn = draw(view, scene)
            samples = Samples(camera.width, camera.height)
            self._last = (camera, drawn, see(drawn, samples, view.far, self._fill))
        return self._last[1], self._last[2]

    def _color(self, scene: RenderScene, view: View, drawn: Drawn, seen: Seen) -> NDArray[np.uint8]:
        """The picture, uint8 [H * W, 3]."""
        patch = scene.triangles.patch
        shape = (view.height, view.width)
        key = antialiasing.stacks(seen, patch)
        pixels = antialiasing.on_edges(key.reshape(shape), seen.inverse.reshape(shape))
        fine = see(drawn, antialiasing.fine(view.width, view.height, pixels), view.far, self._fill)
        steps = antialiasing.plan(
            key.take(pixels),
            seen.inverse.take(pixels),
            antialiasing.stacks(fine, patch),
            fine.inverse,
        )
        shader = Shader(scene, view, _used(len(patch), seen, fine), self._kernels)
        shader.use(_occlusion(shader, view, seen))
        picture = np.zeros(seen.samples.count, np.uint32)
        shader.paint(seen, picture)
        through = _behind_glass(seen)
        picture[through] = packed(*shader.colors(seen, through))
        middles = unpacked(picture.take(pixels))
        extra = curve(shader.colors(fine, steps.shaded))
        picture[pixels] = packed_toned(*antialiasing.blended(middles, extra, steps))
        return picture.view(np.uint8).reshape(-1, 4)[:, :3].copy()


def _behind_glass(seen: Seen) -> NDArray[np.int64]:
    """The samples that see glass, ascending."""
    flags = np.zeros(seen.samples.count, np.bool_)
    for sheet in seen.sheets:
        flags[sheet.place] = True
    return np.flatnonzero(flags)


def _size(frames: CameraPictures) -> int:
    """Bytes of pictures."""
    arrays = (frames.color, frames.instances, frames.behind_glass, frames.depth, frames.normals)
    return sum(array.nbytes for array in arrays if array is not None)


def _used(count: int, *views: Seen) -> NDArray[np.int64]:
    """The triangles that samples see, ascending."""
    flags = np.zeros(count + 1, np.bool_)
    for seen in views:
        for triangle in (seen.triangle, *(sheet.triangle for sheet in seen.sheets)):
            ends = np.flatnonzero(triangle[1:] != triangle[:-1])  # of runs: most are longer than 1
            flags[triangle.take(ends)] = True
            flags[triangle[-1:]] = True
    return np.flatnonzero(flags[:-1])


def _occlusion(shader: Shader, view: View, seen: Seen) -> Shade:
    step = step_for(view.width, view.height)
    rows = np.arange(step // 2, view.height, step)
    columns = np.arange(step // 2, view.width, step)
    grid = (rows[:, None] * view.width + columns[None]).reshape(-1)
    shape = (len(rows), len(columns))
    x, y, z = (axis.reshape(shape) for axis in shader.normals(seen, grid))
    found = occlusion(view, step, seen.inverse.take(grid).reshape(shape), (x, y, z))
    return spread(found, seen.inverse.reshape(view.height, view.width))


def _normals(scene: RenderScene, view: View, seen: Seen) -> Floats:
    """Unit normals, float32 [H * W, 3]; 0 where nothing is seen."""
    table = planes(view, scene.triangles, used := _used(len(scene.material), seen))
    index = np.full(len(scene.material), -1, np.int64)
    index[used] = np.arange(len(used))
    found = np.zeros((len(seen.triangle), 3), F4)
    hits = np.flatnonzero(seen.triangle >= 0)
    x, y = seen.samples.spots(hits)
    axes = bent_normal(table, index.take(seen.triangle.take(hits)), *tangents(view, x, y))
    for k, axis in enumerate(axes):
        found[hits, k] = axis
    return found
