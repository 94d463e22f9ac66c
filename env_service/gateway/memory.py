"""Keeps freed memory for the next picture."""

from __future__ import annotations

import ctypes

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_KEEP_BYTES = 256 * 2**20


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
