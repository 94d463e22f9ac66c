"""Work on a separate thread, for callers that wait, with or without an event loop."""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Work that can be asked to stop, and then ends in order. It starts at once."""

    def __init__(
        self, work: Callable[[], tuple[T, str]], stop: Callable[[], object], name: str
    ) -> None:
        """``work`` returns its result, and a warning for the caller or an empty text. ``stop`` may
        be called on any thread, several times. ``name`` is the thread's."""
        self._work, self._stop = work, stop
        self._result: Future[tuple[T, str]] = Future()
        self._thread = threading.Thread(target=self._run, name=name)
        self._thread.start()

    def _run(self) -> None:
        try:
            found = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again where the user waits
            self._result.set_exception(error)
        else:
            self._result.set_result(found)

    def wait(self) -> T:
        """The result, after its warning. Ctrl-C stops the work and waits for its end; a second
        Ctrl-C asks again and does not wait. Both raise KeyboardInterrupt."""
        try:
            found, problem = self._result.result()
        except KeyboardInterrupt:
            self._stop()
            try:
                self._thread.join()
            except KeyboardInterrupt:
                self._stop()
            raise
        self._thread.join()
        _warn(problem)
        return found

    async def wait_async(self) -> T:
        """As ``wait``, on an event loop. Cancelling it stops the work and waits for its end."""
        ended = asyncio.wrap_future(self._result)
        try:
            found, problem = await asyncio.shield(ended)
        except asyncio.CancelledError:
            self._stop()
            await asyncio.wait([ended])
            self._thread.join()
            raise
        self._thread.join()
        _warn(problem)
        return found


def _warn(problem: str) -> None:
    if problem:
        # At the line that called the public function.
        warnings.warn(problem, stacklevel=4)
