"""From what samples see to their colour.

Samples are sorted into groups that need the same work (a flat triangle's normal needs no
interpolation, one without texture no texels, a matte one no mirror image), and each group is worked
off in portions that fit a processor's cache.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.kernels import Kernels
from env_service.worlds.household.render.soft.materials import LEVELS
from env_service.worlds.household.render.soft.occlusion import FREE, Shade
from env_service.worlds.household.render.soft.pixel import Kind, Looks, Tables, color
from env_service.worlds.household.render.soft.pixel_ops import (
    ONE,
    ZERO,
    Floats,
    Longs,
    Three,
    clamp,
    shared,
    take,
)
from env_service.worlds.household.render.soft.projection import View, scales, tangents
from env_service.worlds.household.render.soft.raster import NONE
from env_service.worlds.household.render.soft.scene_cache import RenderScene
from env_service.worlds.household.render.soft.surface import Pinhole, bent_normal, planes
from env_service.worlds.household.render.soft.tone import packed
from env_service.worlds.household.render.soft.visibility import Seen

F4 = np.float32
PORTION = 1 << 14
"""Samples coloured at once."""

RANGE = 1 << 18
"""Samples sorted at once."""

GLOSSY = 0.25
"""Gloss from which highlights and mirror images are drawn."""

KINDS = tuple(Kind(bool(k & 1), bool(k & 2), bool(k & 4)) for k in range(8))

Portion = tuple[Kind, Longs, Longs, Longs, Three]
"""Kind; places among the wanted samples; the samples; their triangles; tangents and 1/z."""


class Shader:
    """Colours what one view sees of a scene."""

    def __init__(
        self,
        scene: RenderScene,
        view: View,
        used: NDArray[np.int64],
        kernels: Kernels | None = None,
    ) -> None:
        """`used` are the scene's triangles that samples see, ascending; with `kernels`, these do
        the work."""
        self._view, self._kernels = view, kernels
        self._color_ = color if kernels is None else kernels.color
        self._index = np.full(len(scene.material) + 1, NONE, np.int64)
        self._index[used] = np.arange(len(used))
        looks = _looks(scene, view, used)
        self._tables = Tables(
            Pinhole.of(view),
            planes(view, scene.triangles, used),
            looks,
            scene.materials.atlas,
            scene.light.air,
            scene.light.lamps,
            scene.light.shadows,
        )
        textured = scene.materials.texture[scene.material[used]] >= 0
        glossy = (looks.gloss >= GLOSSY) | (looks.metal > 0)
        bent = ~scene.triangles.flat[used]
        self._kind = (bent + 2 * textured + 4 * glossy).astype(np.uint8)
        self._shade = Shade(FREE, np.ones(view.width * view.height, F4))

    def normals(self, seen: Seen, wanted: NDArray[np.int64]) -> Floats:
        """Unit normals, float32 [3, N], of the solid surfaces of wanted samples; 0 for nothing."""
        found = np.zeros((3, len(wanted)), F4)
        for begin in range(0, len(wanted), PORTION):
            part = wanted[begin : begin + PORTION]
            triangle = seen.triangle.take(part)
            hits = np.flatnonzero(triangle >= 0)
            cx, cy = self._tangents(seen, part.take(hits))
            index = self._index.take(triangle.take(hits))
            found[:, begin + hits] = bent_normal(self._tables.planes, index, cx, cy)
        return found

    def use(self, shade: Shade) -> None:
        """Sets the occlusion."""
        self._shade = shade

    def paint(self, seen: Seen, picture: NDArray[np.uint32]) -> None:
        """Writes the bytes of all samples without glass before them, red lowest, into a picture."""
        clear = seen.triangle >= 0
        for sheet in seen.sheets:
            clear[sheet.place] = False
        if self._kernels is not None:
            columns = (self._index, seen.triangle, seen.inverse, self._shade.pixels)
            about = (columns, scales(self._view))
            self._kernels.paint(self._tables, self._kind, about, clear, picture)
            return
        for portion in self._solid(seen, np.flatnonzero(clear)):
            red, green, blue, _ = self._color(portion, seen)
            picture[portion[2]] = packed(red, green, blue)

    def colors(self, seen: Seen, wanted: NDArray[np.int64]) -> Floats:
        """Linear colours, float32 [3, N], of wanted samples, glass included."""
        colors = np.zeros((3, len(wanted)), F4)
        hits = np.flatnonzero(seen.triangle.take(wanted) >= 0)
        for portion in self._solid(seen, wanted.take(hits)):
            rgb = self._color(portion, seen)
            at = hits.take(portion[1])
            for channel in range(3):
                colors[channel, at] = rgb[channel]
        for layer in range(len(seen.sheets) - 1, -1, -1):
            self._cover(colors, seen, wanted, layer)
        return colors

    def _cover(self, colors: Floats, seen: Seen, wanted: NDArray[np.int64], layer: int) -> None:
        """Lays a sheet of glass over the colours of wanted samples, in place."""
        sheet = seen.sheets[layer]
        slot = np.full(seen.samples.count, -1, np.int64)
        slot[wanted] = np.arange(len(wanted))
        target = slot.take(sheet.place)
        kept = np.flatnonzero(target >= 0)
        target, slots = target.take(kept), sheet.place.take(kept)
        triangle, inverse = sheet.triangle.take(kept), sheet.inverse.take(kept)
        looks = self._tables.looks
        tints = (looks.red, looks.green, looks.blue)
        for portion in self._portions(seen, slots, triangle, inverse):
            _, places, _, index, _ = portion
            at = target.take(places)
            red, green, blue, cosine = self._color(portion, seen, solid=False)
            share = cover(take(looks.opacity, index), cosine)
            for channel, own in enumerate((red, green, blue)):
                under = colors[channel].take(at)
                tint = take(tints[channel], index)
                colors[channel, at] = over(under, own, tint, share)

    def _solid(self, seen: Seen, wanted: NDArray[np.int64]) -> Iterator[Portion]:
        """Portions of wanted samples, all of which see something solid."""
        return self._portions(seen, wanted, seen.triangle.take(wanted), seen.inverse.take(wanted))

    def _portions(
        self,
        seen: Seen,
        slots: NDArray[np.int64],
        triangle: NDArray[np.int32],
        inverse: Floats,
    ) -> Iterator[Portion]:
        """Samples by kind, in portions."""
        for start in range(0, len(slots), RANGE):
            index = self._index.take(triangle[start : start + RANGE])
            kinds = self._kind.take(index)
            for kind, what in enumerate(KINDS):
                chosen = np.flatnonzero(kinds == kind)
                for begin in range(0, len(chosen), PORTION):
                    inner = chosen[begin : begin + PORTION]
                    places = inner + start
                    part = slots.take(places)
                    spot = (*self._tangents(seen, part), inverse.take(places))
                    yield what, places, part, index.take(inner), spot

    def _tangents(self, seen: Seen, slots: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return tangents(self._view, *seen.samples.spots(slots))

    def _color(
        self, portion: Portion, seen: Seen, *, solid: bool = True
    ) -> tuple[Floats, Floats, Floats, Floats]:
        kind, _, slots, index, spot = portion
        open_ = self._shade.at(seen.samples, slots, spot[2], solid=solid)
        return self._color_(self._tables, kind, index, spot, open_)


def _looks(scene: RenderScene, view: View, used: NDArray[np.int64]) -> Looks:
    m, material = scene.materials, scene.material[used]
    columns = (m.red, m.green, m.blue, m.opacity, m.gloss, m.metal, m.glow)
    red, green, blue, opacity, gloss, metal, glow = (column[material] for column in columns)
    pixel = 2 * view.along / view.height
    first = np.maximum(m.texture[material], 0).astype(np.int64) * LEVELS
    texels = scene.texels[used] * F4(pixel * pixel)
    return Looks(red, green, blue, opacity, gloss, metal, glow, first, texels)


# --- Glass over other surfaces. Glass shows two things: the surfaces behind it, tinted by its
# colour, and the glass surface, lit and mirroring as any other. Its opacity is the share of the
# glass surface; towards the rim of a vessel, where one looks along the wall, that grows (Fresnel's
# effect), which is what makes glass visible

UNDER = F4(0.35)
"""The share of light that even black glass lets through."""

RIM = F4(0.5)


@shared
def cover(opacity: Floats, cosine: Floats) -> Floats:
    """The share of the glass surface, by the (negative) cosine between normal and view
    direction."""
    grazing = clamp(ONE + cosine, ZERO, ONE)
    return clamp(opacity + RIM * grazing * grazing * grazing, ZERO, ONE)


@shared
def over(under: Floats, own: Floats, tint: Floats, share: Floats) -> Floats:
    """One channel of the picture with glass before it."""
    through = under * (UNDER + (ONE - UNDER) * tint)
    found: Floats = through + (own - through) * share
    return found
