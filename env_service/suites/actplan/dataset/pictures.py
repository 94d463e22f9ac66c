"""The pictures that an agent gets at the opening of an activity.

Apart from the other published files: lists of tasks need no NumPy.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from env_service.datasets.errors import DataPackError
from env_service.datasets.pack import open_pack
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.names import UnknownNameError
from env_service.domain.observation import Channel, Frame, ImageRole
from env_service.suites.actplan.dataset.published_files import PACK
from env_service.suites.actplan.task import ActPlanTask

LONGEST_SIDE = 4096
"""Pixels. No published picture comes near it: they are 512 wide and 640 high (docs/actplan.md,
Task sets)."""

_BUILTIN = "env_service.suites.actplan.builtin.pictures"
"""Imported when it is asked for: published tasks need no renderer."""


def load_pictures(task: ActPlanTask) -> tuple[Frame, ...]:
    """The task's pictures in their order, as views "view_1", "view_2", …; none for a task without.

    Raises:
        WorldFault: DATA_FAULT if a file of the pack is missing or not a picture; it names the file.
    """
    if task.pictures.views:
        take = import_module(_BUILTIN).take_pictures
        frames: tuple[Frame, ...] = take(task.pictures)
        return frames
    return tuple(
        Frame(Channel.RGB, read_picture(path), ImageRole.VIEW, f"view_{number}")
        for number, path in enumerate(_paths(task.pictures.files), 1)
    )


def read_picture(path: Path) -> NDArray[np.uint8]:
    """A picture in its original size, as uint8 [H, W, 3], RGB, C-contiguous.

    Raises WorldFault DATA_FAULT for a file that is not a picture.
    """
    try:
        with Image.open(path) as image:
            if max(image.size) > LONGEST_SIDE:
                raise OSError(
                    f"is {image.width} x {image.height} pixels, larger than any published picture"
                )
            return np.ascontiguousarray(np.asarray(image.convert("RGB"), dtype=np.uint8))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        detail = (
            f"the picture {path} cannot be read: {error}; fetch the data pack {PACK!r} again, or"
            " import a sound copy"
        )
        raise WorldFault(FaultClass.DATA_FAULT, detail) from error


def _paths(files: tuple[str, ...]) -> tuple[Path, ...]:
    if not files:
        return ()
    try:
        pack = open_pack(PACK)
        return tuple(pack.path(file) for file in files)
    except (DataPackError, UnknownNameError) as error:
        raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error
