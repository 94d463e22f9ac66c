"""The scenes that visual suites play in: built-in rooms, and the iTHOR floor plans of the data
pack as far as it is here."""

from __future__ import annotations

import os
from pathlib import Path

from env_service.datasets.pack import open_pack
from env_service.worlds.household.scene.library import FLOOR_PLANS as VARIABLE
from env_service.worlds.household.scene.library import SceneLibrary, standard_library

PACK = "ithor"
FLOOR_PLANS = "dev/data/objects_metadata_samples/*.json"
"""Where the pack has one file per floor plan."""


def floor_plan_folder() -> Path | None:
    """The folder of the floor plans' files; None if the pack holds none of them.

    Raises:
        DataPackCorruptError: a file is there, and damaged.
    """
    pack = open_pack(PACK)
    held = pack.files(FLOOR_PLANS)
    return pack.path(held[0]).parent if held else None


def household_scenes() -> SceneLibrary:
    """The floor plans that are here, and the built-in rooms."""
    return standard_library(floor_plan_folder())


def share_floor_plans() -> None:
    """Tells the worlds of this process, and the players that it starts, where the floor plans are.
    What the user has set stays.

    Raises:
        DataPackCorruptError: a file is there, and damaged.
    """
    if os.environ.get(VARIABLE):
        return
    folder = floor_plan_folder()
    if folder is not None:
        os.environ[VARIABLE] = str(folder)
