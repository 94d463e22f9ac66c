"""The process that started this one, as it was before anything else was imported.

Importing the rest takes a second, and longer on a busy machine. Who asked only then could be told
of the process that takes orphans in.
"""

from __future__ import annotations

import os
import time
from typing import Final

PARENT: Final = os.getppid()
LOOK: Final = 0.5
"""Seconds between two looks whether it still lives."""


def end_with_parent() -> None:
    """Ends this process, with exit status 0, when its parent has ended. Never returns."""
    while os.getppid() == PARENT:
        time.sleep(LOOK)
    os._exit(0)
