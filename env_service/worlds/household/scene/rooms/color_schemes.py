"""Colours of built-in rooms: schemes in which every choice goes with every other."""

from dataclasses import dataclass, fields

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.scene.spec import Room

Names = tuple[str, ...]


@dataclass(frozen=True)
class Scheme:
    """The choices for each field of a palette, and coverings for one accent wall."""

    walls: Names
    floor: Names
    cabinets: Names
    wood: Names
    fabric: Names
    counter: Names = ("white marble", "grey stone")
    metal: Names = ("steel", "brass", "black iron")
    tiles: Names = ("white", "cream")
    accents: Names = ()


_WARM_KITCHEN = Scheme(
    walls=("cream", "sand", "white", "rough plaster"),
    floor=("honey tiles", "terracotta tiles", "beige tiles", "cherry boards", "oak boards"),
    cabinets=("cherry", "maple", "oak", "walnut", "cream"),
    wood=("oak", "cherry", "pine"),
    fabric=("brick", "mustard", "moss"),
    counter=("brown granite", "black granite", "white marble"),
    tiles=("cream", "sand", "white"),
    accents=("brick wall", "striped paper", "sand", "blush"),
)
_COOL_KITCHEN = Scheme(
    walls=("white", "sky", "grey", "white"),
    floor=("slate tiles", "checker tiles", "white tiles", "maple boards", "walnut boards"),
    cabinets=("white", "navy", "slate", "white", "grey"),
    wood=("oak", "walnut", "maple"),
    fabric=("navy", "slate", "sky"),
    counter=("white marble", "black granite", "grey stone"),
    metal=("steel", "black iron", "chrome"),
    tiles=("white", "blue", "sea", "black"),
    accents=("concrete", "blue stripes", "slate", "white panelling"),
)
_GREEN_KITCHEN = Scheme(
    walls=("sage", "white", "cream"),
    floor=("oak boards", "stone slabs", "green linoleum", "pine boards", "beige tiles"),
    cabinets=("sage", "moss", "white", "pine", "cream"),
    wood=("pine", "oak", "walnut"),
    fabric=("moss", "sage", "brick"),
    counter=("green slate", "white marble", "brown granite"),
    tiles=("white", "sea", "cream"),
    accents=("sage damask", "brick wall", "white panelling", "moss"),
)
_WARM_LIVING = Scheme(
    walls=("cream", "sand", "rough plaster", "striped paper", "white"),
    floor=("oak boards", "cherry boards", "walnut boards", "beige carpet", "pine boards"),
    cabinets=("oak", "walnut", "cherry"),
    wood=("oak", "walnut", "cherry", "pine"),
    fabric=("brick", "moss", "sand", "mustard"),
    accents=("brick wall", "gold damask", "pine panelling", "brick", "mustard"),
)
_COOL_LIVING = Scheme(
    walls=("white", "grey", "sky", "white panelling"),
    floor=("walnut boards", "maple boards", "grey carpet", "oak boards", "blue carpet"),
    cabinets=("white", "walnut", "oak"),
    wood=("walnut", "black ash", "oak", "maple"),
    fabric=("slate", "navy", "grey"),
    metal=("steel", "black iron", "brass"),
    accents=("navy", "slate", "concrete", "blue stripes", "brick wall"),
)
_GREEN_LIVING = Scheme(
    walls=("sage", "cream", "white", "sage damask"),
    floor=("oak boards", "pine boards", "walnut boards", "stone slabs"),
    cabinets=("oak", "white", "pine"),
    wood=("oak", "pine", "walnut"),
    fabric=("moss", "sage", "sand", "navy"),
    accents=("moss", "sage damask", "white panelling", "brick wall"),
)
_SOFT_BEDROOM = Scheme(
    walls=("blush", "cream", "sand", "white", "gold damask"),
    floor=("oak boards", "beige carpet", "cherry boards", "pine boards"),
    cabinets=("white", "oak", "cherry"),
    wood=("oak", "cherry", "white", "pine"),
    fabric=("brick", "blush", "mustard", "sand"),
    accents=("gold damask", "blush", "striped paper", "white panelling"),
)
_COOL_BEDROOM = Scheme(
    walls=("sky", "white", "grey", "blue stripes"),
    floor=("walnut boards", "maple boards", "grey carpet", "blue carpet", "oak boards"),
    cabinets=("white", "walnut", "oak"),
    wood=("walnut", "white", "maple", "black ash"),
    fabric=("navy", "slate", "sky"),
    accents=("navy", "blue stripes", "slate", "concrete", "white panelling"),
)
_GREEN_BEDROOM = Scheme(
    walls=("sage", "cream", "white", "rough plaster"),
    floor=("oak boards", "pine boards", "beige carpet"),
    cabinets=("oak", "pine", "white"),
    wood=("pine", "oak", "walnut"),
    fabric=("moss", "sage", "mustard"),
    accents=("sage damask", "moss", "pine panelling", "brick wall"),
)
_LIGHT_BATHROOM = Scheme(
    walls=("white", "sky", "grey", "cream"),
    floor=("white tiles", "slate tiles", "checker tiles", "stone slabs"),
    cabinets=("white", "oak", "slate", "navy"),
    wood=("oak", "white", "walnut"),
    fabric=("sky", "navy", "sand"),
    counter=("white marble", "black granite", "grey stone"),
    metal=("chrome", "chrome", "black iron"),
    tiles=("white", "blue", "sea", "white"),
)
_WARM_BATHROOM = Scheme(
    walls=("cream", "sand", "blush", "sage"),
    floor=("beige tiles", "terracotta tiles", "stone slabs", "honey tiles"),
    cabinets=("oak", "walnut", "white", "maple"),
    wood=("oak", "walnut"),
    fabric=("sand", "brick", "mustard", "sage"),
    counter=("brown granite", "white marble", "black granite"),
    metal=("chrome", "brass"),
    tiles=("cream", "sand", "white"),
)

SCHEMES: dict[Room, tuple[Scheme, ...]] = {
    Room.KITCHEN: (_WARM_KITCHEN, _COOL_KITCHEN, _GREEN_KITCHEN),
    Room.LIVING_ROOM: (_WARM_LIVING, _COOL_LIVING, _GREEN_LIVING),
    Room.BEDROOM: (_SOFT_BEDROOM, _COOL_BEDROOM, _GREEN_BEDROOM),
    Room.BATHROOM: (_LIGHT_BATHROOM, _WARM_BATHROOM),
}


def drawn_palette(room: Room, draw: np.random.Generator) -> tuple[Palette, str | None]:
    """A palette for a kind of room, and the covering of an accent wall, if the room has one."""
    schemes = SCHEMES[room]
    scheme = schemes[int(draw.integers(len(schemes)))]
    chosen = {}
    for field in fields(Palette):
        options: Names = getattr(scheme, field.name)
        chosen[field.name] = options[int(draw.integers(len(options)))]
    while _alike(chosen["cabinets"], chosen["floor"]):
        after = scheme.floor.index(chosen["floor"]) + 1
        chosen["floor"] = scheme.floor[after % len(scheme.floor)]
    accent = None
    if scheme.accents and draw.random() < 0.4:
        accent = scheme.accents[int(draw.integers(len(scheme.accents)))]
    return Palette(**chosen), accent


def _alike(cabinets: str, floor: str) -> bool:
    """Whether cabinets and floor look alike."""
    return floor.startswith(f"{cabinets} ") or (cabinets, floor) in {
        ("cherry", "terracotta tiles"),
        ("pine", "honey tiles"),
        ("maple", "honey tiles"),
        ("oak", "honey tiles"),
    }
