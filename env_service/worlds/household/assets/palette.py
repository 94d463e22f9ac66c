"""The named materials that rooms choose from; `model.Palette` holds the names."""

from __future__ import annotations

from functools import cache

from env_service.worlds.household.assets import textures
from env_service.worlds.household.assets.material import Color, Material

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
    "black": (0.06, 0.06, 0.07),
}

METALS: dict[str, Material] = {
    "steel": Material((0.66, 0.67, 0.68), gloss=0.6, metal=0.7),
    "brass": Material((0.72, 0.56, 0.28), gloss=0.6, metal=0.7),
    "copper": Material((0.66, 0.38, 0.24), gloss=0.6, metal=0.7),
    "black iron": Material((0.09, 0.09, 0.10), gloss=0.35, metal=0.2),
    "white enamel": Material((0.88, 0.88, 0.87), gloss=0.5),
    "chrome": Material((0.80, 0.81, 0.83), gloss=0.9, metal=0.9),
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
