"""Ranges, hobs, cooker hoods and dishwashers: what is built in around the burners."""

from __future__ import annotations

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.displays import display
from env_service.worlds.household.assets.joinery import handle, word
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.outlines import rounded_ring
from env_service.worlds.household.assets.shapes import lathe, panel
from env_service.worlds.household.assets.skins import cap, skin

BLACK = Material((0.05, 0.05, 0.055), gloss=0.6)
BLACK_GLASS = Material((0.035, 0.035, 0.04), gloss=0.9)
ENAMELS = (
    palette.METALS["steel"],
    palette.METALS["white enamel"],
    Material((0.09, 0.09, 0.10), gloss=0.6),
)


def stove(request: AssetRequest) -> Model:
    """What stands under the burners: a range with its oven door, drawer and control panel, or,
    if it is less than 0.25 m high, the plate of a hob.

    The top of the box is the level on which the burners stand. Detail "panel": "front" (default)
    or "none", whether the strip for the knobs is at the front.
    """
    w, h, d = request.size.tuple()
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    if h < 0.25:
        return _hob(request, enamel)
    out = min(0.03, d * 0.08)
    face = d / 2 - out
    strip = 0.1 if word(request, "panel", "front") == "front" else 0.03
    foot, drawer_top = 0.06, 0.06 + (h - 0.06) * 0.2
    oven_top = h - 0.03 - strip
    body: list[Span] = [
        (-w / 2, foot, -d / 2, w / 2, h - 0.018, face - 0.03),
        (-w / 2, oven_top + 0.006, face - 0.03, w / 2, h - 0.018, face),
    ]
    parts = [
        Part("body", blocks(body, bevel=0.004), enamel),
        Part("plate", _hob_plate(w, d - out, h, 0.018, z=-out / 2), BLACK_GLASS),
        Part("foot", blocks([(-w / 2 + 0.02, 0, -d / 2, w / 2 - 0.02, foot, face - 0.07)]), BLACK),
        Part("drawer", _slab(w, foot + 0.005, drawer_top, face), enamel),
        *_oven_door(w, drawer_top + 0.006, oven_top, face, enamel),
    ]
    if strip > 0.05:
        clock = display("12:00", (1.0, 0.45, 0.15), (0.03, 0.03, 0.03))
        window = panel(0.1, 0.045).moved(0, oven_top + 0.03, face + 0.001)
        parts.append(Part("clock", window, Material((1, 1, 1), clock, gloss=0.6, glow=0.5)))
    return Model(tuple(parts))


def _slab(w: float, low: float, high: float, face: float) -> Mesh:
    return blocks([(-w / 2 + 0.003, low, face - 0.03, w / 2 - 0.003, high, face)], bevel=0.004)


def _oven_door(w: float, low: float, high: float, face: float, enamel: Material) -> list[Part]:
    """The oven's door with its dark window and the bar across it."""
    tall = high - low
    x = w * 0.33
    window = blocks(
        [(-x, low + tall * 0.2, face - 0.002, x, low + tall * 0.68, face + 0.0012)], bevel=0.001
    )
    grip = handle("bar", w * 0.8).moved(0, high - min(0.06, tall * 0.14), face)
    return [
        Part("oven door", _slab(w, low, high, face), enamel),
        Part("oven window", window, BLACK_GLASS),
        Part("oven handle", grip, palette.metal("chrome")),
    ]


def _hob(request: AssetRequest, enamel: Material) -> Model:
    w, h, d = request.size.tuple()
    top = min(0.012, h)
    plate = _hob_plate(w, d, h, top)
    material = BLACK_GLASS if request.variant % 2 == 0 else enamel
    parts = [Part("plate", plate, material)]
    if h - top > 0.005:
        under = (-w / 2 + 0.02, 0.0, -d / 2 + 0.02, w / 2 - 0.02, h - top, d / 2 - 0.02)
        parts.append(Part("case", blocks([under]), palette.metal("steel")))
    return Model(tuple(parts))


def _hob_plate(w: float, d: float, top: float, thick: float, *, z: float = 0.0) -> Mesh:
    """A plate with round corners and edges, from top - thick to top."""
    area = (-w / 2, -d / 2, w / 2, d / 2)
    edge = thick * 0.35
    shrunk = (area[0] + edge, area[1] + edge, area[2] - edge, area[3] - edge)
    rings = [
        rounded_ring(area, 0.015, top - thick, steps=2),
        rounded_ring(area, 0.015, top - edge, steps=2),
        rounded_ring(shrunk, 0.015, top, steps=2),
    ]
    pieces = [skin(rings), cap(rings[-1]), cap(rings[0], -1)]
    return join(pieces).moved(z=z)


def range_hood(request: AssetRequest) -> Model:
    """A cooker hood: a canopy with filters below, and the shaft above it if the box is high."""
    w, h, d = request.size.tuple()
    metal = request.choose((palette.metal("steel"), palette.metal("white enamel"), BLACK), 0)
    lip = min(0.06, h * 0.3)
    canopy_top = min(h, lip + 0.28)
    area = (-w / 2, -d / 2, w / 2, d / 2)
    shaft_w, shaft_d = min(0.3, w * 0.5), min(0.28, d * 0.6)
    shaft = (-shaft_w / 2, -d / 2, shaft_w / 2, -d / 2 + shaft_d)
    narrow = shaft if h > 0.3 else (area[0], area[1], area[2], area[3] - d * 0.35)
    rings = [
        rounded_ring(area, 0.006, 0.0, steps=1),
        rounded_ring(area, 0.006, lip, steps=1),
    ]
    slope = [rings[1], rounded_ring(narrow, 0.006, canopy_top, steps=1)]
    pieces = [skin(rings), skin(slope), cap(rings[0], -1), cap(slope[1])]
    if h > canopy_top + 0.01:
        pieces.append(
            blocks([(shaft[0], canopy_top - 0.002, shaft[1], shaft[2], h, shaft[3])], bevel=0.003)
        )
    x, z = w * 0.44, d * 0.4
    filters = blocks([(-x, -0.004, -z, -0.01, -0.001, z), (0.01, -0.004, -z, x, -0.001, z)])
    buttons = [
        lathe([(0, 0), (0.009, 0), (0.008, 0.004), (0, 0.005)], sides=10)
        .turned(x=90.0)
        .moved(k * 0.035, lip / 2, d / 2)
        for k in (-1, 0, 1)
    ]
    return Model(
        (
            Part("hood", join(pieces), metal),
            Part("filters", filters, Material((0.30, 0.30, 0.31), gloss=0.4, metal=0.3)),
            Part("buttons", join(buttons), palette.metal("chrome")),
        )
    )


def dishwasher(request: AssetRequest) -> Model:
    """A closed dishwasher under a counter: front with handle and panel, toe kick."""
    w, h, d = request.size.tuple()
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    out = min(0.02, d * 0.05)
    face = d / 2 - out
    kick, strip = min(0.1, h * 0.14), min(0.11, h * 0.16)
    body: list[Span] = [(-w / 2, kick, -d / 2, w / 2, h, face - 0.032)]
    lamp = display("00", (0.2, 0.9, 0.4), (0.03, 0.03, 0.03))
    window = panel(0.05, 0.025).moved(-w * 0.3, h - strip * 0.6, face + 0.001)
    return Model(
        (
            Part("body", blocks(body), palette.paint("grey")),
            Part("front", _slab(w, kick, h - strip - 0.004, face), enamel),
            Part("panel", _slab(w, h - strip, h - 0.002, face), BLACK),
            Part(
                "handle",
                handle("bar", w * 0.7).moved(0, h - strip - 0.05, face),
                palette.metal("chrome"),
            ),
            Part("lamp", window, Material((1, 1, 1), lamp, glow=0.4)),
            Part("kick", blocks([(-w / 2, 0, -d / 2, w / 2, kick, face - 0.06)]), BLACK),
        )
    )


BUILDERS: dict[str, Builder] = {
    "Stove": stove,
    "RangeHood": range_hood,
    "Dishwasher": dishwasher,
}
