"""The iTHOR floor plans of this machine's data pack, for worlds that read them."""

from __future__ import annotations

import os
from pathlib import Path

PACK = "ithor"
VARIABLE = "HOUSEGUEST_ITHOR_SCENES"
"""The environment variable that names the folder of the floor plans' files."""
FLOOR_PLANS = "dev/data/objects_metadata_samples/*.json"
"""Where the pack has one file per floor plan."""


def floor_plan_folder() -> Path | None:
    """The folder of the floor plans' files; None if the pack holds none of them.

    Raises:
        DataPackCorruptError: a file is damaged.
    """
    # Imported where used: a world reads the variable alone.
    from env_service.datasets.pack import open_pack  # noqa: PLC0415 - see above

    pack = open_pack(PACK)
    held = pack.files(FLOOR_PLANS)
    return pack.path(held[0]).parent if held else None


def share_floor_plans() -> None:
    """Sets the variable by which the worlds of this process, and the players that it starts, find
    the floor plans. A value that the user has set stays.

    Raises:
        DataPackCorruptError: a file is damaged.
    """
    if os.environ.get(VARIABLE):
        return
    folder = floor_plan_folder()
    if folder is not None:
        os.environ[VARIABLE] = str(folder)
