"""Reads a pipe on the event loop, whose descriptor is closed exactly once."""

import asyncio
import os
from collections.abc import Callable
from typing import Any


async def connect_read_pipe(
    protocol: Callable[[], asyncio.BaseProtocol], descriptor: int
) -> asyncio.ReadTransport:
    """Has the running loop read a pipe, and returns the transport, which owns the descriptor.

    uvloop closes the descriptor of a file, and then calls the file's ``close``. With an ordinary
    file this closes the number a second time: where another thread has just opened a file under
    the same number, it closes that file. Raises OSError; the descriptor is closed then too.
    """
    loop = asyncio.get_running_loop()
    pipe: Any = _Pipe(descriptor, closed_by_loop=type(loop).__module__.startswith("uvloop"))
    transport, _ = await loop.connect_read_pipe(protocol, pipe)
    return transport


class _Pipe:
    """What a loop needs of a file."""

    def __init__(self, descriptor: int, *, closed_by_loop: bool) -> None:
        self._descriptor = descriptor
        self._open = not closed_by_loop

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._descriptor)
