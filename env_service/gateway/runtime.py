"""How the service's own process runs: its event loop, memory, garbage collection and log."""

from __future__ import annotations

import ctypes
import gc
import logging
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
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
    with _ctrl_c_as_before():
        return uvloop.run(main)


@contextmanager
def _ctrl_c_as_before() -> Iterator[None]:
    """Restores the handler of Ctrl-C: a loop that ends by an error leaves one that ignores it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def keep_freed_memory() -> bool:
    """Makes glibc keep large freed blocks instead of returning them to the kernel (mallopt(3)).

    A step with a picture allocates and frees a few such blocks. To get each from the kernel again
    costs a page fault every 4 KiB, more than all other work on the picture. Returns whether the C
    library supports it; other C libraries do not change.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    kept = mallopt(_M_MMAP_THRESHOLD, 32 * 2**20) and mallopt(_M_TRIM_THRESHOLD, _KEEP_BYTES)
    return bool(kept)


# --- Where a service logs while it plays a run


@contextmanager
def service_log(path: Path, of: str = "") -> Iterator[None]:
    """Appends this process's log to a file, and writes it nowhere else: not over a progress bar
    or a game. ``of`` names a logger whose messages alone are appended. Afterwards all is as before.
    Raises OSError."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger(of)
    before, level, passed_on = logger.handlers[:], logger.level, logger.propagate
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.handlers[:] = before
        logger.setLevel(level)
        logger.propagate = passed_on
        handler.close()
