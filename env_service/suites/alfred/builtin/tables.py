"""Which objects built-in tasks are about, and where they may go."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from env_service.suites.alfred.names import PICKABLE, RECEPTACLES, SLICEABLE
from env_service.worlds.thor.object_types import object_types


def _listed(names: str) -> frozenset[str]:
    return frozenset(names.split())


HEATABLE = _listed(
    "Apple AppleSliced Bread BreadSliced Cup Egg Mug Plate Potato PotatoSliced Tomato TomatoSliced"
)
"""ALFRED's gen/constants (spec: alfred.md section 6.2): 12 types."""

COOLABLE = _listed(
    """
    Apple AppleSliced Bowl Bread BreadSliced Cup Egg Lettuce LettuceSliced Mug Pan Plate Pot Potato
    PotatoSliced Tomato TomatoSliced WineBottle
    """
)
"""The same: 18 types."""

CLEANABLE = _listed(
    """
    Apple AppleSliced Bowl ButterKnife Cloth Cup DishSponge Egg Fork Kettle Knife Ladle Lettuce
    LettuceSliced Mug Pan Plate Pot Potato PotatoSliced SoapBar Spatula Spoon Tomato TomatoSliced
    """
)
"""The same: 25 types."""

SLICED = "Sliced"
"""What follows a type's name where its slices are meant."""

MOVABLES = ("Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot")
"""Receptacles that go along with what lies in them (the same; the movable receptacles of ALFRED's
task names)."""

LAMPS = ("DeskLamp", "FloorLamp")
"""ALFRED's two toggle targets (spec: alfred.md section 6.2)."""

PARENTS = tuple(
    each
    for each in (*RECEPTACLES, "SinkBasin", "BathtubBasin")
    if each not in (*MOVABLES, "Sink", "Bathtub", "StoveBurner")
)
"""Where things are brought. Goals name basins by the part; in our rooms burners stand too close
for a second pot or pan."""

THROWN_AWAY = _listed(
    """
    Apple Bread Egg Lettuce Potato Tomato Newspaper TissueBox ToiletPaper SoapBar SprayBottle
    SoapBottle DishSponge Cloth Pen Pencil WineBottle CD
    """
)
"""What somebody may want in the garbage can."""

_MORE: Mapping[str, frozenset[str]] = {"HandTowel": _listed("SinkBasin BathtubBasin CounterTop")}
"""The engine lets a hand towel hang on its holder alone; ALFRED's tasks bring it elsewhere."""


@cache
def may_hold(object_type: str) -> frozenset[str]:
    """The receptacles that a type belongs in by the engine's table, without regard to room."""
    known = object_types().get(object_type)
    return (known.receptacles if known else frozenset()) | _MORE.get(object_type, frozenset())


def base_of(object_type: str) -> str:
    """The whole that slices come from; a whole itself."""
    return object_type.removesuffix(SLICED)


def carried() -> tuple[str, ...]:
    """The types that tasks are about, whole and, where they can be sliced, as slices."""
    return tuple(form for each in PICKABLE for form in _forms(each))


def _forms(kind: str) -> tuple[str, ...]:
    return (kind, kind + SLICED) if kind in SLICEABLE else (kind,)
