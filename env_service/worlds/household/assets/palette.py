"""The named materials that rooms choose from; `model.Palette` holds the names."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from env_service.worlds.household.assets import textures
from env_service.worlds.household.assets.model import Color, Material, Texture

WOODS: dict[str, tuple[Color, Color]] = {
    "oak": ((0.50, 0.33, 0.17), (0.68, 0.48, 0.28)),
    "maple": ((0.70, 0.52, 0.31), (0.82, 0.66, 0.44)),
    "cherry": ((0.42, 0.17, 0.08), (0.58, 0.27, 0.13)),
    "walnut": ((0.23, 0.14, 0.09), (0.36, 0.23, 0.15)),
    "pine": ((0.74, 0.56, 0.34), (0.86, 0.71, 0.49)),
    "black ash": ((0.08, 0.07, 0.07), (0.14, 0.13, 0.12)),
}
"""Dark and light of the grain."""

PAINTS: dict[str, Color] = {
    "white": (0.88, 0.88, 0.86),
    "cream": (0.87, 0.82, 0.70),
    "sand": (0.79, 0.70, 0.55),
    "sage": (0.66, 0.72, 0.62),
    "sky": (0.66, 0.75, 0.81),
    "blush": (0.84, 0.71, 0.66),
    "slate": (0.36, 0.41, 0.46),
    "grey": (0.68, 0.68, 0.68),
    "navy": (0.15, 0.21, 0.34),
    "brick": (0.55, 0.24, 0.19),
    "moss": (0.36, 0.42, 0.25),
    "mustard": (0.77, 0.60, 0.22),
    "orange": (0.88, 0.48, 0.08),
    "black": (0.06, 0.06, 0.07),
}

METALS: dict[str, Material] = {
    "steel": Material((0.71, 0.72, 0.73), gloss=0.6, metal=0.8),
    "brass": Material((0.84, 0.65, 0.32), gloss=0.7, metal=0.8),
    "copper": Material((0.80, 0.47, 0.30), gloss=0.7, metal=0.8),
    "black iron": Material((0.09, 0.09, 0.10), gloss=0.35, metal=0.2),
    "white enamel": Material((0.88, 0.88, 0.87), gloss=0.5),
    "chrome": Material((0.80, 0.81, 0.83), gloss=0.9, metal=0.95),
}

STONES: dict[str, tuple[Color, Color]] = {
    "grey stone": ((0.45, 0.45, 0.45), (0.62, 0.61, 0.60)),
    "black granite": ((0.09, 0.09, 0.10), (0.30, 0.30, 0.31)),
    "green slate": ((0.13, 0.21, 0.20), (0.20, 0.29, 0.28)),
    "white marble": ((0.86, 0.86, 0.85), (0.62, 0.62, 0.64)),
    "brown granite": ((0.30, 0.22, 0.17), (0.52, 0.42, 0.33)),
    "rose laminate": ((0.72, 0.62, 0.58), (0.79, 0.71, 0.67)),
}
"""Base and flecks."""


@dataclass(frozen=True)
class Covering:
    """A covering of a floor or a wall.

    Attributes:
        draw: makes its picture.
        tile: metres that one repeat of the picture takes.
        gloss: as in `Material`.
    """

    draw: Callable[[], Texture]
    tile: float
    gloss: float = 0.05


def _boards(wood_name: str) -> Covering:
    return Covering(partial(textures.boards, *WOODS[wood_name], rows=8), 1.2, 0.3)


def _carpet(color: Color) -> Covering:
    return Covering(partial(textures.carpet, color), 1.1, 0.0)


def _tiles(color: Color, grout: Color, tile: float, mottle: float = 0.05) -> Covering:
    return Covering(partial(textures.tiles, color, grout, mottle=mottle), tile, 0.35)


FLOORS: dict[str, Covering] = {
    "oak boards": _boards("oak"),
    "maple boards": _boards("maple"),
    "cherry boards": _boards("cherry"),
    "walnut boards": _boards("walnut"),
    "pine boards": _boards("pine"),
    "terracotta tiles": _tiles((0.60, 0.38, 0.25), (0.45, 0.36, 0.29), 1.2, 0.08),
    "honey tiles": _tiles((0.66, 0.50, 0.30), (0.52, 0.42, 0.30), 1.0, 0.07),
    "white tiles": _tiles((0.86, 0.86, 0.84), (0.66, 0.66, 0.65), 1.2, 0.02),
    "beige tiles": _tiles((0.72, 0.65, 0.55), (0.56, 0.50, 0.43), 1.4),
    "slate tiles": _tiles((0.23, 0.26, 0.28), (0.40, 0.42, 0.43), 1.4, 0.1),
    "checker tiles": Covering(
        partial(textures.checker, (0.85, 0.85, 0.82), (0.13, 0.13, 0.14)), 1.2, 0.35
    ),
    "stone slabs": Covering(
        partial(textures.slabs, (0.56, 0.53, 0.48), (0.37, 0.35, 0.32)), 1.6, 0.15
    ),
    "grey carpet": _carpet((0.50, 0.50, 0.51)),
    "beige carpet": _carpet((0.70, 0.62, 0.50)),
    "blue carpet": _carpet((0.29, 0.36, 0.47)),
    "cream linoleum": Covering(
        partial(textures.linoleum, (0.78, 0.73, 0.62), (0.62, 0.55, 0.44)), 1.5, 0.25
    ),
    "green linoleum": Covering(
        partial(textures.linoleum, (0.47, 0.54, 0.46), (0.34, 0.41, 0.35)), 1.5, 0.25
    ),
}
"""Coverings of floors."""

WALLS: dict[str, Covering] = {
    **{name: Covering(partial(textures.plaster, color), 1.5) for name, color in PAINTS.items()},
    "striped paper": Covering(
        partial(textures.wallpaper_stripes, (0.85, 0.80, 0.69), (0.78, 0.70, 0.57)), 0.5
    ),
    "blue stripes": Covering(
        partial(textures.wallpaper_stripes, (0.80, 0.84, 0.86), (0.65, 0.72, 0.78)), 0.5
    ),
    "sage damask": Covering(partial(textures.damask, (0.68, 0.73, 0.64), (0.62, 0.68, 0.58)), 0.35),
    "gold damask": Covering(partial(textures.damask, (0.80, 0.72, 0.55), (0.74, 0.65, 0.47)), 0.35),
    "brick wall": Covering(partial(textures.bricks, (0.56, 0.28, 0.21), (0.66, 0.62, 0.57)), 0.62),
    "rough plaster": Covering(
        partial(textures.plaster, (0.80, 0.74, 0.64), seed=3, size=256, rough=0.18), 1.2
    ),
    "pine panelling": Covering(partial(textures.panelling, *WOODS["pine"]), 0.8, 0.15),
    "white panelling": Covering(
        partial(textures.panelling, (0.80, 0.80, 0.78), (0.88, 0.88, 0.86)), 0.8, 0.1
    ),
    "white tiles": _tiles((0.86, 0.86, 0.84), (0.76, 0.76, 0.75), 0.8, 0.03),
    "white bricks": Covering(
        partial(textures.subway, (0.88, 0.88, 0.86), (0.76, 0.76, 0.75)), 0.4, 0.2
    ),
    "concrete": Covering(
        partial(textures.plaster, (0.60, 0.60, 0.59), seed=5, size=256, rough=0.25), 2.0
    ),
}
"""Coverings of walls; every paint is one."""

TILES: dict[str, Covering] = {
    "white": Covering(partial(textures.subway, (0.88, 0.88, 0.86), (0.70, 0.70, 0.69)), 0.4, 0.5),
    "cream": Covering(partial(textures.subway, (0.86, 0.81, 0.70), (0.69, 0.64, 0.55)), 0.4, 0.5),
    "sea": _tiles((0.45, 0.62, 0.62), (0.78, 0.80, 0.79), 0.6, 0.06),
    "sand": _tiles((0.75, 0.63, 0.45), (0.52, 0.45, 0.35), 0.6, 0.1),
    "black": Covering(partial(textures.subway, (0.10, 0.10, 0.11), (0.38, 0.38, 0.38)), 0.4, 0.6),
    "blue": _tiles((0.30, 0.42, 0.58), (0.82, 0.82, 0.80), 0.5, 0.07),
}
"""Wall tiles of splashbacks and bathrooms."""


@cache
def wood(name: str, *, gloss: float = 0.2) -> Material:
    """A wood by its name, or a painted surface if the name is a paint's; grain along u. An unknown
    name raises KeyError."""
    if name in PAINTS:
        return Material(PAINTS[name], gloss=gloss)
    dark, light = WOODS[name]
    return Material((1.0, 1.0, 1.0), textures.wood(dark, light), gloss=gloss)


@cache
def paint(name: str, *, gloss: float = 0.05) -> Material:
    """A plain painted surface."""
    return Material(PAINTS[name], gloss=gloss)


@cache
def metal(name: str) -> Material:
    """A metal by its name."""
    return METALS[name]


@cache
def stone(name: str, *, gloss: float = 0.35) -> Material:
    """A polished stone by its name."""
    base, fleck = STONES[name]
    return Material((1.0, 1.0, 1.0), textures.stone(base, fleck), gloss=gloss)


@cache
def cloth(name: str) -> Material:
    """Woven cloth in a paint's colour, two-sided."""
    return Material((1.0, 1.0, 1.0), textures.cloth(PAINTS[name]), gloss=0.0, two_sided=True)


@cache
def floor(name: str) -> Material:
    """A floor covering by its name; a mesh on it has metres divided by `FLOORS[name].tile` as
    texture coordinates."""
    return _laid(FLOORS[name])


@cache
def wall(name: str) -> Material:
    """A wall covering by its name or a paint's; for the coordinates see `floor`."""
    return _laid(WALLS[name])


@cache
def tiles(name: str) -> Material:
    """Wall tiles by their name; for the coordinates see `floor`."""
    return _laid(TILES[name])


def _laid(covering: Covering) -> Material:
    return Material((1.0, 1.0, 1.0), covering.draw(), gloss=covering.gloss)
