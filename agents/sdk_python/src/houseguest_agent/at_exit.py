"""Closes what a program has left open when it exits."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
from typing import Protocol


class _Closable(Protocol):
    def close(self) -> None: ...


_open: dict[_Closable, int] = {}
"""What is open, and the process that opened it: a forked child has none of its threads."""


def remember(thing: _Closable) -> None:
    """Has ``thing`` closed when the interpreter exits, unless it is forgotten before."""
    _open[thing] = os.getpid()


def forget(thing: _Closable) -> None:
    """Says that ``thing`` is closed."""
    _open.pop(thing, None)


@atexit.register
def _close_all() -> None:
    """Runs while all threads still do, which is the last chance to end gRPC's (see ``Stream``)."""
    left = [thing for thing, process in _open.items() if process == os.getpid()]
    if left and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Whoever presses Ctrl-C once more now wants the process gone, whatever is left undone.
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    for thing in left:
        thing.close()
