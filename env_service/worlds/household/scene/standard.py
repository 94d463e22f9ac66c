"""The scenes that everybody has: built-in rooms, and floor plans from a folder if there is one."""

from __future__ import annotations

import os
from pathlib import Path

from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary, SceneSource
from env_service.worlds.household.scene.rooms.source import BuiltInRooms

FLOOR_PLANS = "HOUSEGUEST_ITHOR_SCENES"
"""Environment variable with the folder of the iTHOR scenes' object metadata."""


def standard_library(floor_plans: Path | None = None) -> SceneLibrary:
    """A library of the floor plans in a folder, by default the one that FLOOR_PLANS names if it is
    set, and of the built-in rooms.

    Raises:
        ValueError: the folder is not there.
    """
    named = os.environ.get(FLOOR_PLANS, "")
    folder = floor_plans or (Path(named) if named else None)
    sources: list[SceneSource] = [BuiltInRooms()]
    if folder is not None:
        if not folder.is_dir():
            raise ValueError(f"no folder of floor plans at {folder}")
        sources.insert(0, MetadataFolder(folder))
    return SceneLibrary(sources)
