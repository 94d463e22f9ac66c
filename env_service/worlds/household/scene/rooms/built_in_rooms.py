"""Built-in rooms by name: household-kitchen-1, household-bedroom-42 and so on."""

import re
import zlib
from collections.abc import Callable

import numpy as np

from env_service.worlds.household.scene.rooms.bathroom import draw_bathroom
from env_service.worlds.household.scene.rooms.bedroom import draw_bedroom
from env_service.worlds.household.scene.rooms.kitchen import draw_kitchen
from env_service.worlds.household.scene.rooms.layout import CrampedError
from env_service.worlds.household.scene.rooms.living_room import draw_living_room
from env_service.worlds.household.scene.spec import SceneSpec

Drawer = Callable[[str, np.random.Generator], SceneSpec]

KINDS: dict[str, Drawer] = {
    "kitchen": draw_kitchen,
    "living-room": draw_living_room,
    "bedroom": draw_bedroom,
    "bathroom": draw_bathroom,
}
LISTED = 60
"""Rooms of each kind that are listed. A kind has a room for every number from 1 to 999,999,999."""
DRAFTS = 40
"""Attempts to generate a room before its number counts as impossible."""

_NAME = re.compile(r"household-(kitchen|living-room|bedroom|bathroom)-([1-9][0-9]{0,8})")


class BuiltInRooms:
    """The rooms that need no data."""

    def names(self) -> tuple[str, ...]:
        """The first rooms of each kind."""
        return tuple(f"household-{kind}-{n}" for kind in KINDS for n in range(1, LISTED + 1))

    def load(self, name: str) -> SceneSpec | None:
        """Generates a room; None for a name of another form. The same name gives the same room."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        seed = zlib.crc32(name.encode())
        for draft in range(DRAFTS):
            try:
                return KINDS[found[1]](name, np.random.default_rng([seed, draft]))
            except CrampedError:
                continue
        raise ValueError(f"no plan was found for the room {name}")
