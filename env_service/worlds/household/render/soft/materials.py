"""The materials of a scene as tables, and its textures as one atlas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.render.soft.lanes import Floats, Ints
from env_service.worlds.household.render.soft.textures import Atlas, atlas, pack
from env_service.worlds.household.render.soft.tone import DECODE, linear

F4 = np.float32


class Materials(NamedTuple):
    """Of each material, in linear light.

    Attributes:
        red, green, blue: float32 [M].
        red, green, blue = color.astype(F4)
        opacity, gloss, metal, glow: float32 [M].
        texture: int32 [M], place in the atlas, -1 for none.
        texels: float32 [M], how many texels one repeat of the texture has.
        mean: float64 [3, M], the average colour, texture included.
        two_sided: bool [M].
        atlas: the textures.
    """

    red: Floats
    green: Floats
    blue: Floats
    opacity: Floats
    gloss: Floats
    metal: Floats
    glow: Floats
    texture: Ints
    texels: Floats
    mean: NDArray[np.float64]
    two_sided: NDArray[np.bool_]
    atlas: Atlas


class MaterialCache:
    """Keeps packed textures, and the tables as long as the materials stay the same."""

    def __init__(self) -> None:
        self._packed: dict[Texture, list[NDArray[np.int64]]] = {}
        self._last: tuple[tuple[Material, ...], Materials] | None = None

    def update(self, used: Iterable[Material]) -> tuple[Materials, dict[Material, int]]:
        """The tables of these materials, and the place of each in them."""
        places: dict[Material, int] = {}
        for material in used:
            places.setdefault(material, len(places))
        order = tuple(places)
        if self._last is None or self._last[0] != order:
            self._last = (order, self._tables(order))
        return self._last[1], places

    def _tables(self, order: tuple[Material, ...]) -> Materials:
        slots: dict[Texture, int] = {}
        for material in order:
            if material.texture is not None:
                slots.setdefault(material.texture, len(slots))
        self._packed = {t: self._packed.get(t) or pack(t) for t in slots}
        color = np.array([[linear(c) for c in m.color] for m in order]).reshape(-1, 3).T
        texture = [-1 if m.texture is None else slots[m.texture] for m in order]
        areas = {t: t.pixels.shape[0] * t.pixels.shape[1] for t in slots}
        texels = [0 if m.texture is None else areas[m.texture] for m in order]
        means = {t: _mean(t) for t in slots}
        factor = [(1.0, 1.0, 1.0) if m.texture is None else means[m.texture] for m in order]
        columns = np.array([(m.opacity, m.gloss, m.metal, m.glow) for m in order], F4)
        red, green, blue = color.astype(F4)
        opacity, gloss, metal, glow = columns.reshape(-1, 4).T.copy()
        return Materials(
            red,
            green,
            blue,
            opacity,
            gloss,
            metal,
            glow,
            np.array(texture, np.int32),
            np.array(texels, F4),
            color * np.array(factor).reshape(-1, 3).T,
            np.array([m.two_sided for m in order], np.bool_),
            atlas(list(self._packed.values())),
        )


def _mean(texture: Texture) -> tuple[float, ...]:
    light = DECODE.take(texture.pixels).astype(np.float64)
    return tuple(float(light[..., k].mean()) for k in range(3))
