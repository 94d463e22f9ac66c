"""The recorded pictures, as an agent is shown them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from env_service.datasets.errors import DataPackError
from env_service.datasets.pack import open_pack
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.names import UnknownNameError
from env_service.suites.asgard.recorded.sets import RECORDED_PACK

MOST_PIXELS = 4096
"""Of a side: no published picture comes near it (they are 512 x 512)."""


def frame_paths(*names: str) -> tuple[Path, ...]:
    """Where pictures of the pack lie, by their paths in it.

    Raises WorldFault DATA_FAULT where one of them is not there, or not sound.
    """
    try:
        pack = open_pack(RECORDED_PACK)
        return tuple(pack.path(name) for name in names)
    except (DataPackError, UnknownNameError) as error:
        raise WorldFault(FaultClass.DATA_FAULT, str(error)) from error


def read_frame(path: Path, pixels: int) -> NDArray[np.uint8]:
    """A picture as uint8 [H, W, 3], RGB, C-contiguous; reduced to ``pixels`` at its longer side
    where it is larger, and never enlarged.

    Raises WorldFault DATA_FAULT for a file that is no picture.
    """
    try:
        with Image.open(path) as image:
            if max(image.size) > MOST_PIXELS:
                raise OSError(f"is {image.width} x {image.height} pixels, which is no such picture")
            shown = image.convert("RGB")
        if max(shown.size) > pixels:
            shown.thumbnail((pixels, pixels), Image.Resampling.LANCZOS, reducing_gap=None)
        return np.ascontiguousarray(np.asarray(shown, dtype=np.uint8))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        detail = f"the picture {path} cannot be read: {error}; fetch the data pack again"
        raise WorldFault(FaultClass.DATA_FAULT, detail) from error
