"""The two looks of a scene: `clear`, whose states are easy to tell, and `thor`, after AI2-THOR's.

A look changes pictures only: the light, and colours and patterns of surfaces. Shapes, metadata and
what is visible stay the same.

The colours of `thor` are measured facts, in ``looks.json``. `benchmarks/household_looks.py` makes
that table from real frames. A scene that it lacks takes surfaces of scenes that it has, chosen by
the scene's name.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from statistics import median
from typing import Any, NamedTuple

from env_service.worlds.household.assets.model import Color, Material, Model, Part, Texture
from env_service.worlds.household.assets.slabs import cut
from env_service.worlds.household.render.soft.tone import DECODE, linear
from env_service.worlds.household.scene.spec import Appearance, Room, SceneSpec

CLEAR, THOR = "clear", "thor"
LOOKS = (CLEAR, THOR)

VARIABLE = "HOUSEGUEST_LOOK"
"""The environment variable that names the look of the scenes that a process opens."""


def look_named(name: str) -> str:
    """The look of that name; "" is the default, `clear`. Another name raises ValueError."""
    found = name or CLEAR
    if found not in LOOKS:
        raise ValueError(f"a look is one of {', '.join(LOOKS)}, not {name!r}")
    return found


def dressed(scene: SceneSpec, look: str) -> SceneSpec:
    """A scene in a look; the scene as given is `clear`. An unknown look raises ValueError."""
    if look_named(look) == CLEAR:
        return scene
    name = scene.name.removesuffix("_physics")
    known = table().get(name, Entry(scene.room, {}, {}, {}))
    return dressed_in(scene, filled(name, known))


def dressed_in(scene: SceneSpec, entry: Entry) -> SceneSpec:
    """A scene in the colours of an entry."""
    palette = replace(scene.palette, **entry.coverings)
    band = {} if entry.band is None else {BELOW: entry.band[1]}
    height = None if entry.band is None else entry.band[0]
    appearance = Appearance({**entry.surfaces, **band}, entry.parts, height)
    return replace(scene, palette=palette, appearance=appearance)


# --- The table of colours


@dataclass(frozen=True)
class Entry:
    """What the table has about one scene.

    Attributes:
        room: its kind.
        surfaces: sRGB by type and kind of part ("Wall/wall", "Fridge/door").
        parts: sRGB by name and part ("Wall_2/wall"), where one differs from others of its type.
        coverings: fields of a `Palette` that give the pattern.
        band: height, metres, and sRGB of a lower band of all walls; None without one.
    """

    room: Room
    surfaces: Mapping[str, Color]
    parts: Mapping[str, Color]
    coverings: Mapping[str, str]
    band: tuple[float, Color] | None = None


@cache
def table() -> Mapping[str, Entry]:
    """The entries, by the scenes' names without `_physics`."""
    here = files("env_service.worlds.household.scene")
    written = json.loads(here.joinpath("looks.json").read_text("utf-8"))
    return {name: entry_from(each) for name, each in written["scenes"].items()}


def entry_from(written: Mapping[str, Any]) -> Entry:
    """An entry of ``looks.json``."""
    surfaces, parts = (
        {key: _color(each) for key, each in written[group].items()}
        for group in ("surfaces", "parts")
    )
    band = (float(written["band"][0]), _color(written["band"][1])) if "band" in written else None
    return Entry(Room(written["room"]), surfaces, parts, written["coverings"], band)


def _color(written: str) -> Color:
    r, g, b = bytes.fromhex(written.removeprefix("#"))
    return (r / 255, g / 255, b / 255)


_GROUPS: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (frozenset({"Wall", "Ceiling", "Baseboard", "Door"}), frozenset({"walls", "tiles"})),
    (frozenset({"Floor", "Rug"}), frozenset({"floor"})),
    (
        frozenset({"Cabinet", "Drawer", "CounterTop", "CounterBase", "Shelf"}),
        frozenset({"cabinets", "counter"}),
    ),
)
"""Types, and fields of a palette, that a scene without an entry takes from the same scene. Each
other type is a group by itself."""

_FEW = 4
"""Scenes of a kind that are too few to draw from."""


def filled(name: str, known: Entry) -> Entry:
    """The colours of a scene: those that are known, and for all others those of scenes of its
    kind, or of living rooms where they are few; the same for the same name, on every machine."""
    others = [each for key, each in table().items() if key != name]
    donors = [each for each in others if each.room is known.room]
    if len(donors) < _FEW:
        donors += [each for each in others if each.room is Room.LIVING_ROOM]
    surfaces: dict[str, Color] = {}
    coverings: dict[str, str] = {}
    for types, fields in (*_GROUPS, *_single(donors)):
        having = [each for each in donors if any(_type(key) in types for key in each.surfaces)]
        if having:
            one = having[zlib.crc32(f"{name} {min(types)}".encode()) % len(having)]
            scale = _brightness(known, one)
            surfaces |= {
                key: _scaled(color, scale)
                for key, color in one.surfaces.items()
                if _type(key) in types
            }
            coverings |= {key: c for key, c in one.coverings.items() if key in fields}
    return replace(
        known,
        surfaces={**surfaces, **known.surfaces},
        coverings={**coverings, **known.coverings},
    )


def _brightness(known: Entry, other: Entry) -> float:
    """How much brighter the surfaces of a scene are than the same ones of another, as a factor:
    some rooms are dark as a whole."""
    ratios = [
        (sum(map(linear, color)) + 0.01) / (sum(map(linear, other.surfaces[key])) + 0.01)
        for key, color in known.surfaces.items()
        if key in other.surfaces
    ]
    return min(max(median(ratios), 0.25), 4.0) if ratios else 1.0


def _scaled(color: Color, factor: float) -> Color:
    if factor == 1.0:
        return color
    r, g, b = (min(_encoded(linear(c) * factor), 1.0) for c in color)
    return (r, g, b)


def _single(donors: Iterable[Entry]) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The types that are in none of the groups."""
    grouped = frozenset().union(*(types for types, _ in _GROUPS))
    found = {_type(key) for each in donors for key in each.surfaces} - grouped
    return [(frozenset({each}), frozenset()) for each in sorted(found)]


def _type(key: str) -> str:
    return key.partition("/")[0]


# --- Surfaces in the table's colours

LIGHT = 0.8
"""Light on most surfaces of a room in the look `thor`, linear. The table has colours as they look
in it."""

MATTE = 0.2
"""The most gloss of a surface with a measured colour. What the real surface mirrors is part of its
colour; a mirror image on top would count it twice."""

BRIGHTEST = 6.0
"""The most light that a measured colour stands for: white in a picture has no upper end."""


def is_mirror(name: str, part: Part) -> bool:
    """Whether a part of an object shows the room."""
    return name.startswith("Mirror|") and part.name == "glass"


BELOW = "Wall/below"
"""The key of the lower band of walls in `Appearance.surfaces`."""


def with_band(model: Model, height: float) -> Model:
    """A wall with a lower band as a separate part."""
    parts: list[Part] = []
    for part in model.parts:
        if part.name != "wall":
            parts.append(part)
            continue
        low, high = cut(part.mesh, height)
        parts += [replace(part, mesh=high), replace(part, name="wall below", mesh=low)]
    return replace(model, parts=tuple(part for part in parts if len(part.mesh.faces)))


def surface_key(kind: str, part: str) -> str:
    """The key of a type's part in `Appearance.surfaces`: "left door" and "right door" share one."""
    return f"{kind}/{part.rpartition(' ')[2]}"


def can_be_painted(material: Material, kind: str) -> bool:
    """Whether the table can hold the colour of a material of a type's part: it is neither glass
    nor a light, except for the sky behind windows."""
    return material.opacity >= 1 and kind != "Mirror" and (material.glow == 0 or kind == "Sky")


class Paint(NamedTuple):
    """How a part gets its measured colour.

    Attributes:
        own: its material without it.
        by: factors of the channels, linear.
        bare: sRGB without the part's pattern, where that does not fit: the grain of wood under
            white or grey paint. None where the pattern stays.
    """

    own: Material
    by: Color
    bare: Color | None


def paint(part: Part, kind: str, color: Color) -> Paint:
    """What makes a part of a type look, on average, like a colour of the table in LIGHT."""
    texture, light = part.material.texture, LIGHT + part.material.glow
    wanted = [incoming(linear(c)) / light for c in color]
    mean = (1.0, 1.0, 1.0) if texture is None else _mean(texture)
    base = [max(linear(c) * m, 0.002) for c, m in zip(part.material.color, mean, strict=True)]
    r, g, b = (want / was for want, was in zip(wanted, base, strict=True))
    if kind not in _WOODWORK or _saturation(mean) < WOODEN or _saturation(color) > PALE:
        return Paint(part.material, (r, g, b), None)
    x, y, z = (_encoded(want) for want in wanted)
    return Paint(part.material, (r, g, b), (x, y, z))


_WOODWORK = frozenset(
    {"Baseboard", "Bed", "Cabinet", "CabinetCase", "Chair", "CoffeeTable", "CounterBase", "Desk",
     "DiningTable", "Door", "Drawer", "DrawerCase", "Dresser", "Shelf", "ShelvingUnit", "SideTable",
     "Stool", "TVStand"}
)  # fmt: skip
"""Types whose only pattern is the grain of wood."""
WOODEN, PALE = 0.5, 0.3
"""Saturation from which a pattern is that of wood, and up to which a colour is that of paint."""


def _saturation(color: Color) -> float:
    return (max(color) - min(color)) / max(*color, 0.01)


def incoming(shown: float) -> float:
    """The light that the tone curve shows as that, linear both; at most BRIGHTEST."""
    most = 1 - 0.25 / BRIGHTEST
    return shown if shown <= 0.5 else 0.25 / (1 - min(shown, most))


def painted(material: Material, by: Paint) -> Material:
    """A material of a part in its measured colour, without mirror images. What glows in one state
    alone, such as a screen, has its own colour."""
    if material.glow != by.own.glow:
        return material
    gloss = min(material.gloss, MATTE)
    if by.bare is not None and material.texture == by.own.texture:
        return replace(material, color=by.bare, texture=None, gloss=gloss, metal=0.0)
    r, g, b = (_encoded(linear(c) * f) for c, f in zip(material.color, by.by, strict=True))
    return replace(material, color=(r, g, b), gloss=gloss, metal=0.0)


def _encoded(light: float) -> float:
    """The sRGB value of linear light, also above 1; rounded, as powers differ in the last bit."""
    return round(12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055, 6)


@lru_cache(maxsize=512)
def _mean(texture: Texture) -> Color:
    light = DECODE.take(texture.pixels).reshape(-1, 3).astype(float).mean(0)
    r, g, b = (round(float(c), 6) for c in light)
    return (r, g, b)
