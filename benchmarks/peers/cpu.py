"""CPU time of other processes."""

from __future__ import annotations

import ctypes
import os
import time


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and all its threads so far, in seconds.

    The same clock as time.process_time (clock_getcpuclockid(3), POSIX), hence finer than the
    hundredths of a second in /proc/<pid>/stat. Raises OSError if the process does not exist.
    """
    clock = ctypes.c_int()
    error = ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error), f"process {pid}")
    return time.clock_gettime(clock.value)
