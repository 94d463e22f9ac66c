"""What a view shows at its samples: the first solid surface, and the glass before it.

Glass is peeled: the nearest layer before the solid surface is found, then the nearest behind that
one, and so on, LAYERS deep; what lies deeper is left out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.soft.projection import Outlines, View, in_sight, outlines
from env_service.worlds.household.render.soft.raster import NONE, Fill, Samples, fill, look, peel
from env_service.worlds.household.render.soft.scene_cache import RenderScene
from env_service.worlds.household.render.soft.triangles import fronts, in_blocks

F4 = np.float32

LAYERS = 3


@dataclass(frozen=True, eq=False)
class Sheet:
    """One layer of glass, where there is any.

    Attributes:
        place: int64 [K], samples that see it, ascending.
        triangle: int32 [K], in the scene.
        inverse: float32 [K], 1/z.
    """

    place: NDArray[np.int64]
    triangle: NDArray[np.int32]
    inverse: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Seen:
    """What all samples show.

    Attributes:
        samples: where.
        triangle: int32 [N], first solid triangle, NONE for nothing.
        inverse: float32 [N], its 1/z, or that of the far plane.
        sheets: glass, nearest first.
    """

    samples: Samples
    triangle: NDArray[np.int32]
    inverse: NDArray[np.float32]
    sheets: tuple[Sheet, ...]

    @property
    def front(self) -> NDArray[np.int32]:
        """int32 [N], first triangle, glass included."""
        if not self.sheets:
            return self.triangle
        found = self.triangle.copy()
        found[self.sheets[0].place] = self.sheets[0].triangle
        return found


@dataclass(frozen=True, eq=False)
class Drawn:
    """The outlines that a view has of a scene: solid ones, and glass."""

    solid: Outlines
    glass: Outlines


def draw(view: View, scene: RenderScene) -> Drawn:
    """The outlines of all that may be in sight."""
    triangles = scene.triangles
    near = in_blocks(triangles, in_sight(view, triangles))
    front = fronts(triangles.plane.take(near, 1), view.eye) | scene.two_sided[near]
    near = near[np.flatnonzero(front)]
    local = view.local(triangles.points.take(near, 2))
    clear = scene.clear[near]
    names = near.astype(np.int32)
    found = []
    for mask in (~clear, clear):
        part = np.flatnonzero(mask)
        found.append(outlines(view, local.take(part, 2), names[part]))
    return Drawn(found[0], found[1])


def see(drawn: Drawn, samples: Samples, far: float, fill_: Fill = fill) -> Seen:
    """What samples show."""
    solid = look(drawn.solid, samples, far, fill_)
    triangle = _sources(drawn.solid, solid.outline)
    sheets: list[Sheet] = []
    for layer in peel(drawn.glass, samples, solid.inverse, LAYERS):
        names = drawn.glass.source.take(layer.outline)
        sheets.append(Sheet(layer.sample.astype(np.int64), names, layer.inverse))
    return Seen(samples, triangle, solid.inverse, tuple(sheets))


def _sources(lines: Outlines, outline: NDArray[np.int32]) -> NDArray[np.int32]:
    """Triangles of outlines, NONE for NONE."""
    names = np.append(lines.source, np.int32(NONE))
    return names.take(outline)  # NONE is -1, the entry appended
