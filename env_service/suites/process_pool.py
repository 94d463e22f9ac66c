"""A pool of processes that end when the process that made it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any


def process_pool(jobs: int, niceness: int = 0) -> ProcessPoolExecutor:
    """Up to ``jobs`` processes, at least 1. They leave Ctrl-C to this process and never outlive it;
    after a second request to stop, this process exits without waiting for them. ``niceness`` is
    added to this process's."""
    return _Pool(jobs, _Context(), initializer=_prepare, initargs=(niceness,))


class _Pool(ProcessPoolExecutor):
    def shutdown(self, *how: bool, **named: bool) -> None:
        """Ends the pool. Where the wait for what still runs is interrupted, that is ended too: at
        this process's exit it would be waited for once more."""
        try:
            super().shutdown(*how, **named)
        except KeyboardInterrupt:
            for each in multiprocessing.active_children():
                if isinstance(each, _Worker):
                    each.kill()
            raise


class _Worker(SpawnProcess):
    # Of a daemon multiprocessing makes an end at exit; for others it waits.
    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **{**named, "daemon": True})

    def start(self) -> None:
        # The mask is inherited: Ctrl-C must not hit a process that still loads its modules.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


# Forked processes would inherit threads, such as one that draws a progress bar.
class _Context(SpawnContext):
    Process = _Worker


def _prepare(niceness: int) -> None:
    os.nice(niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
