"""All kinds of built-in activities."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.actplan.builtin.kinds.bathroom import BATHROOM
from env_service.suites.actplan.builtin.kinds.bedroom import BEDROOM
from env_service.suites.actplan.builtin.kinds.dishes import DISHES_AND_SHELVES
from env_service.suites.actplan.builtin.kinds.finding import Kind
from env_service.suites.actplan.builtin.kinds.kitchen import FOOD
from env_service.suites.actplan.builtin.kinds.living import LIVING_ROOM

KINDS: Mapping[str, tuple[Kind, ...]] = {
    "kitchen": (*FOOD, *DISHES_AND_SHELVES),
    "living-room": LIVING_ROOM,
    "bedroom": BEDROOM,
    "bathroom": BATHROOM,
}
"""By the kind of room, as it stands in rooms' names."""
