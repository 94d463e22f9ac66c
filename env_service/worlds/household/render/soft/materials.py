"""The materials of a scene as tables, and its textures as one atlas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.render.soft.lanes import Floats, Ints
from env_service.worlds.household.render.soft.textures import Atlas, atlas, pack
from env_service.worlds.household.render.soft.tone import DECODE, linear

F4 = np.float32


class Packed(NamedTuple):
    """A texture made ready: its maps for the atlas, and its mean colour, linear."""

    levels: list[NDArray[np.int64]]
    mean: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Materials:
    """Of each material, in linear light.

    Attributes:
        red, green, blue, opacity, gloss, metal, glow: float32 [M].
        texture: int32 [M], place in the atlas, -1 for none.
        texels: float32 [M], how many texels one repeat of the texture has.
        two_sided: bool [M].
        color: float64 [3, M], without texture.
        textures: those of the atlas, in its order.
        packed: makes a texture ready, or knows it.
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
    two_sided: NDArray[np.bool_]
    color: NDArray[np.float64]
    textures: tuple[Texture, ...]
    packed: Callable[[Texture], Packed]

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """float64 [3, M], the average colour, texture included."""
        means = np.array([*(self.packed(t).mean for t in self.textures), (1.0, 1.0, 1.0)])
        found: NDArray[np.float64] = self.color * means[self.texture].T  # -1 finds the last
        return found

    @cached_property
    def atlas(self) -> Atlas:
        """The textures."""
        return atlas([self.packed(texture).levels for texture in self.textures])


class MaterialCache:
    """Keeps packed textures, and the tables as long as the materials stay the same."""

    def __init__(self) -> None:
        self._packed: dict[Texture, Packed] = {}
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
        self._packed = {t: self._packed[t] for t in slots if t in self._packed}
        color = np.array([[linear(c) for c in m.color] for m in order]).reshape(-1, 3).T
        texture = [-1 if m.texture is None else slots[m.texture] for m in order]
        texels = [0 if m.texture is None else m.texture.pixels[..., 0].size for m in order]
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
            np.array([m.two_sided for m in order], np.bool_),
            color,
            tuple(slots),
            self._ready,
        )

    def _ready(self, texture: Texture) -> Packed:
        known = self._packed.get(texture)
        if known is None:
            known = self._packed[texture] = Packed(pack(texture), _mean(texture))
        return known


def _mean(texture: Texture) -> tuple[float, float, float]:
    light = DECODE.take(texture.pixels).astype(np.float64)
    red, green, blue = (float(light[..., k].mean()) for k in range(3))
    return red, green, blue
