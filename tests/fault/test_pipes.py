"""A pipe's descriptor is closed once: its number may be another file's a moment later."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

from env_service.processes.pipe import connect_read_pipe

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


class Reader(asyncio.Protocol):
    def __init__(self) -> None:
        self.data = b""
        self.ended = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.data += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()


async def read_all() -> tuple[bytes, int]:
    reader = Reader()
    reading, writing = os.pipe()
    await connect_read_pipe(lambda: reader, reading)
    os.write(writing, b"words")
    os.close(writing)
    await asyncio.wait_for(reader.ended.wait(), 60)
    return reader.data, reading


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_what_is_written_is_read_and_the_descriptor_closed(loop: Callable[[], Any]) -> None:
    with asyncio.Runner(loop_factory=loop) as runner:
        data, reading = runner.run(read_all())
    assert data == b"words"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(reading)


async def takes_the_number() -> None:
    """Another file gets the pipe's number as the loop lets go of it, and stays open."""
    reader = Reader()
    reading, writing = os.pipe()
    transport = await connect_read_pipe(lambda: reader, reading)
    transport.close()
    taken = []
    # The loop has closed the number, or does so soon.
    while reading not in taken:
        taken.append(os.open(os.devnull, os.O_RDONLY))
        await asyncio.sleep(0.001)
    await asyncio.wait_for(reader.ended.wait(), 60)
    await asyncio.sleep(0.01)
    for each in (*taken, writing):
        # Raises OSError for one that somebody else has closed.
        os.close(each)


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_a_file_that_takes_the_number_stays_open(loop: Callable[[], Any]) -> None:
    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(takes_the_number())
