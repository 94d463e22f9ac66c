"""Runs long work outside the event loop, which must never wait for it.

Use a thread for work that waits, such as reading files. Use a process for Python code that
computes: a thread would hold the interpreter's lock in turns of 5 ms, and for as long as one call
into C takes, and every step of every session would wait for its turn.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from env_service.domain.reasons import ProtocolError, Reason
from env_service.suites.process_pool import process_pool

LOG = logging.getLogger(__name__)
LONGEST_SECONDS = 900.0
"""How long one piece of work may take in a process: the largest task sets are drawn in a third."""
NICENESS = 5
"""Added to that of the helper processes: where every core is busy, the event loop and the workers
go first, and a helper gets a third of what they get. With much more, work would take too long."""
T = TypeVar("T")


class TooLongError(ValueError):
    """Work was given up because it took too long."""


async def in_thread(work: Callable[..., T], *given: Any) -> T:
    """Calls ``work`` in a thread, and returns what it returns.

    A caller that is cancelled waits for the end of the call: what it wrote is then whole.
    """
    calling = asyncio.ensure_future(asyncio.to_thread(work, *given))
    try:
        return await asyncio.shield(calling)
    except asyncio.CancelledError:
        await asyncio.wait([calling])
        raise


class HelperProcesses:
    """Calls functions in separate processes. For one event loop.

    Functions, arguments and results must be picklable. Functions must have no side effects: if a
    process dies, its work is done again.
    """

    def __init__(self, processes: int, longest: float = LONGEST_SECONDS) -> None:
        """The first process starts with the first work. ``longest``: seconds that one piece of work
        may take in a process.

        With 0 ``processes``, work runs at once on the loop. That suits a command that opens one run
        before any agent plays: a process takes half a second to start, and Ctrl-C ends work on the
        loop."""
        self._processes = processes
        self._longest = longest
        self._pool: ProcessPoolExecutor | None = None
        self._closed = False
        # Threads submit work, and this object is closed meanwhile perhaps.
        self._one_at_a_time = threading.Lock()

    async def call(self, work: Callable[..., T], *given: Any) -> T:
        """Calls ``work``, and returns what it returns.

        Raises what it raises, TooLongError after ``longest`` seconds, and ProtocolError DRAINING
        after ``close``.
        """
        if not self._processes:
            return work(*given)
        try:
            answer = await self._ask(work, given)
        except BrokenProcessPool:
            LOG.warning("a helper process died; repeating its work")
            answer = await self._ask(work, given)
        return cast(T, await asyncio.to_thread(answer.read))

    def close(self) -> None:
        """Ends the processes at once, with what they do. Idempotent."""
        with self._one_at_a_time:
            self._closed = True
        self._end(self._pool)

    async def _ask(self, work: Callable[..., Any], given: tuple[Any, ...]) -> _Answer:
        # In a thread: it may start a process.
        pool, future = await asyncio.to_thread(self._submit, work, given)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._longest)
        except TimeoutError:
            self._end(pool)
            raise TooLongError(
                f"The call was cancelled after {self._longest:g} s. Ask for fewer tasks."
            ) from None
        except BrokenProcessPool:
            self._end(pool)
            raise

    def _submit(
        self, work: Callable[..., Any], given: tuple[Any, ...]
    ) -> tuple[ProcessPoolExecutor, Future[_Answer]]:
        with self._one_at_a_time:
            if self._closed:
                raise ProtocolError(Reason.DRAINING)
            if self._pool is None:
                self._pool = process_pool(self._processes, NICENESS)
            try:
                return self._pool, self._pool.submit(_answer, work, given)
            except BrokenProcessPool:
                # A process died while it was idle: the others have been ended.
                self._pool = process_pool(self._processes, NICENESS)
                return self._pool, self._pool.submit(_answer, work, given)

    def _end(self, pool: ProcessPoolExecutor | None) -> None:
        if pool is None:
            return
        if self._pool is pool:
            self._pool = None
        # A pool waits for what runs. With its processes gone, other work is done in the next pool.
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=False)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a function returned or raised, pickled, so that a thread can unpickle it."""

    good: bool
    data: bytes

    def read(self) -> Any:
        """Returns it, or raises it."""
        value = pickle.loads(self.data)  # noqa: S301 - pickled by a process of this service
        if self.good:
            return value
        raise value.error()


@dataclass(frozen=True, slots=True)
class _Raised:
    """An exception, without what its class asks for to be made."""

    kind: type[Exception]
    words: tuple[Any, ...]
    state: dict[str, Any]

    def error(self) -> Exception:
        """The exception again."""
        error = self.kind.__new__(self.kind, *self.words)
        error.args = self.words
        error.__dict__.update(self.state)
        return error


def _answer(work: Callable[..., Any], given: tuple[Any, ...]) -> _Answer:
    try:
        return _Answer(good=True, data=pickle.dumps(work(*given)))
    except Exception as error:  # noqa: BLE001 - raised again where the result is read
        return _Answer(good=False, data=_pickled(error))


def _pickled(error: Exception) -> bytes:
    try:
        return pickle.dumps(_Raised(type(error), error.args, dict(error.__dict__)))
    except Exception:  # noqa: BLE001 - an exception may hold anything
        return pickle.dumps(_Raised(RuntimeError, (f"{type(error).__name__}: {error}",), {}))
