"""Panels of objects: each type in its variants, each type in its states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import AssetRequest, Model, Palette
from env_service.worlds.household.assets.sizes import USUAL
from env_service.worlds.household.assets.steam import with_steam
from env_service.worlds.household.gallery.sheets import Panel
from env_service.worlds.household.gallery.states import ShownState, states_of
from env_service.worlds.household.gallery.studio import Pose, portrait
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.interface import Renderer

BUILT_IN = {
    "Cabinet": (0.50, 0.70, 0.36),
    "CounterTop": (1.40, 0.04, 0.62),
    "Drawer": (0.50, 0.16, 0.50),
    "Floor": (1.60, 0.05, 1.60),
    "Shelf": (0.80, 0.03, 0.28),
    "Sink": (0.72, 0.18, 0.48),
    "SinkBasin": (0.36, 0.16, 0.36),
    "StoveBurner": (0.21, 0.02, 0.21),
    "StoveKnob": (0.05, 0.05, 0.03),
}
"""Sizes of parts of built-in furniture, which have no usual one: width, height, depth, metres."""
ON_WALLS = frozenset(
    {
        "Blinds", "Curtains", "HandTowelHolder", "LightSwitch", "Mirror", "Painting", "Poster",
        "ShowerHead", "StoveKnob", "ToiletPaperHanger", "TowelHolder", "Window",
    }
)  # fmt: skip
"""Types that hang on a wall or front."""
MOST_VARIANTS = 6
LOOKED_AT = 40
"""How many variant numbers are tried for different looks."""


def request(type_name: str, variant: int = 1) -> AssetRequest:
    """An order for a type at its usual size. KeyError for a name that AI2-THOR does not have."""
    size = USUAL.get(type_name) or BUILT_IN[type_name]
    return AssetRequest(
        type_name, variant, Vec3(*size), palette=Palette(), details=(("asset", ""),)
    )


@cache
def variants_of(type_name: str) -> tuple[int, ...]:
    """Variant numbers that look different, at most MOST_VARIANTS."""
    found: dict[object, int] = {}
    for number in range(1, LOOKED_AT + 1):
        model = catalogue.model(request(type_name, number))
        found.setdefault(_appearance(model), number)
        if len(found) == MOST_VARIANTS:
            break
    return tuple(found.values())


def shown_states(type_name: str) -> tuple[ShownState, ...]:
    """The states of a type to show side by side; none if it has the plain one alone."""
    states = states_of(type_name)
    return states if len(states) > 1 else ()


def object_picture(
    renderer: Renderer, type_name: str, state: ShownState, variant: int, side: int
) -> NDArray[np.uint8]:
    """A square picture of a type in a state, uint8 [side, side, 3]."""
    order = replace(request(type_name, variant), look=state.look)
    model = with_steam(catalogue.model(order), order)
    openness = _rest(model) if state.openness is None else state.openness
    return portrait(renderer, model, openness, side, Pose(hung=type_name in ON_WALLS))


def variant_panels(renderer: Renderer, side: int) -> Iterator[Panel]:
    """Every type in every variant, by name."""
    for type_name in object_types():
        plain = states_of(type_name)[0]
        for count, number in enumerate(variants_of(type_name), 1):
            picture = object_picture(renderer, type_name, plain, number, side)
            yield Panel(type_name if count == 1 else f"{type_name} ({count})", picture)


def state_panels(renderer: Renderer, side: int) -> Iterator[Panel]:
    """Every type that has states in each of them, the plain one first."""
    for type_name in object_types():
        for state in shown_states(type_name):
            picture = object_picture(renderer, type_name, state, 1, side)
            yield Panel(f"{type_name}: {state.label}", picture)


def _rest(model: Model) -> float:
    """How far open a model was drawn."""
    return max((part.motion.at_rest for part in model.parts if part.motion), default=0.0)


def _appearance(model: Model) -> tuple[tuple[str, object], ...]:
    return tuple((part.mesh.key, part.material) for part in model.parts)
