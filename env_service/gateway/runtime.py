"""How the service's own process runs: its event loop, memory and garbage collection."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_KEEP_BYTES = 256 * 2**20
T = TypeVar("T")


def run_service(main: Coroutine[Any, Any, T]) -> T:
    """Runs the service to its end, and returns what ``main`` returns.

    A step wakes the loop three times, so the loop's own cost counts: uvloop's is half of
    asyncio's. What was imported never becomes garbage, so the collector need not look at it.
    """
    keep_freed_memory()
    gc.collect()
    gc.freeze()
    return uvloop.run(main)


def keep_freed_memory() -> bool:
    """Tells glibc to keep large freed blocks instead of returning them to the kernel.

    A step with a picture allocates and frees a few of them; getting each anew from the
    kernel costs a page fault every 4 KiB, which is more than all else that is done with the
    picture (mallopt(3)). Returns whether the C library took it; others are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    kept = mallopt(_M_MMAP_THRESHOLD, 32 * 2**20) and mallopt(_M_TRIM_THRESHOLD, _KEEP_BYTES)
    return bool(kept)
