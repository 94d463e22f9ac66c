"""Runs many small pieces of work, several at a time: requests to a model wait for it in
parallel."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")
R = TypeVar("R")


def run_concurrently(
    parts: Sequence[P],
    do: Callable[[P], Iterable[R]],
    parallel: int,
    keep: Callable[[R], None],
) -> None:
    """Does all parts, so many at a time, and passes each result to ``keep`` as soon as it exists,
    on this thread.

    If one fails, or the user interrupts, the results so far are still kept; then the error is
    raised. Threads that wait for a server are left behind: they end with the process.
    """
    if parallel == 1:
        for part in parts:
            for made in do(part):
                keep(made)
        return
    todo: queue.SimpleQueue[P] = queue.SimpleQueue()
    done: queue.SimpleQueue[_Made[R] | _Ended] = queue.SimpleQueue()
    stop = threading.Event()
    for part in parts:
        todo.put(part)
    workers = min(parallel, len(parts))
    for _ in range(workers):
        threading.Thread(target=_work, args=(todo, done, do, stop), daemon=True).start()
    try:
        _collect(done, workers, keep)
    except (Exception, KeyboardInterrupt):
        stop.set()
        while not done.empty():
            got = done.get_nowait()
            if isinstance(got, _Made):
                keep(got.value)
        raise


@dataclass(frozen=True, slots=True)
class _Made(Generic[R]):
    """A worker's result."""

    value: R


@dataclass(frozen=True, slots=True)
class _Ended:
    """A worker has finished, or failed."""

    error: Exception | None = None


def _work(
    todo: queue.SimpleQueue[P],
    done: queue.SimpleQueue[_Made[R] | _Ended],
    do: Callable[[P], Iterable[R]],
    stop: threading.Event,
) -> None:
    """Does parts until there are none left; then, or if one fails, reports the end."""
    try:
        while not stop.is_set():
            for made in do(todo.get_nowait()):
                done.put(_Made(made))
    except queue.Empty:
        pass
    except Exception as error:  # noqa: BLE001 - reported to the waiting thread, which raises it
        stop.set()
        done.put(_Ended(error))
        return
    done.put(_Ended())


def _collect(
    done: queue.SimpleQueue[_Made[R] | _Ended], workers: int, keep: Callable[[R], None]
) -> None:
    while workers:
        got = done.get()
        if isinstance(got, _Made):
            keep(got.value)
        elif got.error is not None:
            raise got.error
        else:
            workers -= 1
