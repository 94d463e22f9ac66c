"""Gives memory that was freed back to the operating system."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back() -> None:
    """Gives back what the C library holds but nobody uses. Costs some milliseconds.

    Scenes and pictures are made of arrays of all sizes. Freed between others that live on, they
    leave holes, which the C library keeps for itself: after some scenes as much as is in use. Only
    glibc can be told; elsewhere nothing is done.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """glibc's malloc_trim, None with another C library."""
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # a platform without such a library
        return None
