"""One operation at a time, which repeats of its request can join."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class OperationCancelledError(Exception):
    """The seat cancelled the operation: its session ended."""


class Operations:
    """The running operation of a seat, or the last one. The session decides who may start one."""

    def __init__(self) -> None:
        self._current: asyncio.Future[Any] | None = None
        self._task: asyncio.Task[Any] | None = None

    async def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Runs an operation in the calling task, which saves a step two turns of the loop.

        The caller has to outlive its client: see ``rpc.undisturbed``.
        """
        current: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._current = current
        try:
            answer = await work
        except asyncio.CancelledError:
            current.cancel()
            raise
        except BaseException as error:
            current.set_exception(error)
            current.exception()  # seen: perhaps nobody has joined
            raise
        current.set_result(answer)
        return answer

    async def spawn(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Runs an operation in a task of its own, which ``cancel`` can end."""
        self._task = asyncio.ensure_future(work)
        self._current = self._task
        return await self.join()

    async def join(self) -> Any:
        """Waits for the running operation. Raises what it raises, or OperationCancelledError."""
        if self._current is None:
            raise RuntimeError("a request joined an operation that never started")
        current = self._current
        try:
            return await asyncio.shield(current)
        except asyncio.CancelledError:
            if current.cancelled():
                raise OperationCancelledError from None
            raise

    def cancel(self) -> None:
        """Cancels an operation that was spawned, if it still runs."""
        if self._task is not None:
            self._task.cancel()

    async def quiesce(self) -> None:
        """Returns once nothing runs."""
        if self._current is not None and not self._current.done():
            await asyncio.wait([self._current])
