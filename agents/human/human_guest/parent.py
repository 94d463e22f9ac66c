"""A guest without its house: nobody would hear what the person does."""

from __future__ import annotations

import os
import sys
import threading
import time

_LOOK_SECONDS = 1.0


def stay_with_parent() -> None:
    """Ends this process when the one that started it is gone, however it went.

    A person who waits at a prompt sends nothing, and would not notice; the shell would get its
    terminal back while this process still reads from it.
    """
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    print("\nThe house is gone. What was finished stands.", file=sys.stderr, flush=True)
    os._exit(1)
