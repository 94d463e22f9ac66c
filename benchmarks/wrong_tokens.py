"""What a flood of calls with wrong tokens costs an agent that plays at the same time.

    python -m benchmarks.wrong_tokens                  # 500 tries a second, then as many as go
    python -m benchmarks.wrong_tokens --tries 2000
    python -m benchmarks.wrong_tokens --transport tcp  # over a port, not a Unix socket

One agent plays on the service, alone and during the flood in turns. The table shows its median
step over all turns of a kind, the ratio of the two, and how many wrong tokens were refused. A ratio
is what counts: the wall time of a step depends on the machine. The flood and the service share the
machine's cores, so that some slowing is the flood's own work.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import signal
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from houseguest_agent import Client, Options

from benchmarks import children
from benchmarks.own import LabService
from tests.support.http2 import (
    ACK,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    headers,
)

TURNS = 4
WARM_UP = 200
UNLIMITED = 0
IN_FLIGHT = 50
"""Calls of one connection, or connections, that the flood keeps open at once."""
WINDOW = (2**30).to_bytes(4)
CANCEL = (8).to_bytes(4)
HOW = ("calls", "connections", "resets")


def steps_for(episode: Any, seconds: float) -> list[float]:
    """Plays for a while; returns the milliseconds of each step."""
    taken, end = list[float](), time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        episode.act("noop")
        taken.append(1000 * (time.perf_counter() - began))
    return taken


@contextmanager
def flooding(address: str, how: str, tries: int, connections: int) -> Iterator[list[str]]:
    """Runs the flood in a separate process; at the end the list holds what it printed."""
    command = ["-m", "benchmarks.wrong_tokens", "--flood", address]
    command += ["--how", how, "--tries", str(tries), "--connections", str(connections)]
    printed = list[str]()
    process = children.start(*command)
    try:
        if process.stdout is None:
            raise RuntimeError("the flood has no standard output")
        process.stdout.readline()
        try:
            yield printed
        finally:
            process.send_signal(signal.SIGINT)
            printed.append(process.stdout.readline())
    finally:
        children.end(process)


class Flood:
    """Tries wrong tokens until Ctrl-C, as plain HTTP/2, which costs less than a gRPC client."""

    def __init__(self, address: str, tries: int, connections: int) -> None:
        self._address = address
        self._tries = tries
        self._connections = connections
        self.refused = self.made = 0

    async def run(self, how: str) -> None:
        """Floods, then prints what became of it."""
        over = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, over.set)
        print("flooding", flush=True)
        began = time.monotonic()
        flow = {"calls": self._calls, "connections": self._fresh, "resets": self._resets}[how]
        tasks = [asyncio.create_task(flow()) for _ in range(self._connections)]
        await over.wait()
        seconds = time.monotonic() - began
        print(json.dumps({"made": self.made / seconds, "refused": self.refused / seconds}))
        sys.stdout.flush()
        os._exit(0 if not any(task.done() for task in tasks) else 1)

    async def _turns(self) -> AsyncIterator[None]:
        """When one of the connections may try again, as fast as it may."""
        began, share = time.monotonic(), self._tries / self._connections
        for number in itertools.count():
            if share:
                await asyncio.sleep(max(0.0, began + number / share - time.monotonic()))
            self.made += 1
            yield

    async def _fresh(self) -> None:
        """Each try over a new connection, some of them at the same time."""
        busy, tasks = asyncio.Semaphore(IN_FLIGHT), set[asyncio.Task[None]]()

        async def attempt() -> None:
            with suppress(OSError, asyncio.IncompleteReadError):
                link = await _Link.open(self._address)
                link.writer.write(_call(1))
                answered = await link.ending()
                self.refused += answered
                link.writer.close()
            busy.release()

        async for _ in self._turns():
            await busy.acquire()
            tasks.add(task := asyncio.create_task(attempt()))
            task.add_done_callback(tasks.discard)

    async def _calls(self) -> None:
        """Many calls over one connection, each to its end; a new one where that is closed."""
        turns = self._turns()
        while True:
            busy = asyncio.Semaphore(IN_FLIGHT)
            link = await _Link.open(self._address)
            listening = asyncio.create_task(self._listen(link, busy))
            for stream in itertools.count(1, 2):
                await anext(turns)
                await busy.acquire()
                if listening.done():
                    break
                link.writer.write(_call(stream))
            link.writer.close()

    async def _resets(self) -> None:
        """Many calls over one connection, each taken back at once."""
        turns = self._turns()
        while True:
            with suppress(OSError):
                link = await _Link.open(self._address)
                listening = asyncio.create_task(self._listen(link, asyncio.Semaphore()))
                for stream in itertools.count(1, 2):
                    await anext(turns)
                    if listening.done():
                        break
                    link.writer.write(_call(stream) + frame(RST_STREAM, 0, stream, CANCEL))
                    await link.writer.drain()
                link.writer.close()

    async def _listen(self, link: _Link, busy: asyncio.Semaphore) -> None:
        """Counts the calls that end, until the connection does."""
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                answered = await link.ending()
                # Read after the wait: others count meanwhile.
                self.refused += answered
                busy.release()
        for _ in range(IN_FLIGHT):
            busy.release()


@dataclass(frozen=True, slots=True)
class _Link:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @staticmethod
    async def open(address: str) -> _Link:
        """Connects, and says hello as HTTP/2 does. ``address``: ``unix:/path`` or ``host:port``."""
        if address.startswith("unix:"):
            link = _Link(*await asyncio.open_unix_connection(address.removeprefix("unix:")))
        else:
            host, _, port = address.rpartition(":")
            link = _Link(*await asyncio.open_connection(host, int(port)))
        link.writer.write(PREFACE + frame(SETTINGS, 0, 0) + frame(WINDOW_UPDATE, 0, 0, WINDOW))
        return link

    async def ending(self) -> bool:
        """Returns when a call has ended: whether by an answer."""
        while True:
            head = await self.reader.readexactly(9)
            kind, flags = head[3], head[4]
            data = await self.reader.readexactly(int.from_bytes(head[:3]))
            if kind in (SETTINGS, PING) and not flags & ACK:
                self.writer.write(frame(kind, ACK, 0, data if kind == PING else b""))
            elif kind == RST_STREAM or (kind == HEADERS and flags & END_STREAM):
                return kind == HEADERS


def _call(stream: int) -> bytes:
    """A whole call with a wrong token."""
    head = frame(HEADERS, END_HEADERS, stream, headers("Hello", "wrong"))
    return head + frame(DATA, END_STREAM, stream, bytes(5))


def measure(
    how: str, tries: int, connections: int, seconds: float, listen: str
) -> dict[str, float]:
    """Plays in turns alone and during the flood. ``listen``: see LabService."""
    service = LabService(frame=False, listen=listen)
    quiet, loud, floods = list[float](), list[float](), list[dict[str, float]]()
    options = Options(address=service.address, token=service.tokens[0])
    with Client("wire", options=options) as client:
        for episode in client.episodes():
            for _ in range(WARM_UP):
                episode.act("noop")
            for _ in range(TURNS):
                quiet += steps_for(episode, seconds)
                with flooding(service.address, how, tries, connections) as printed:
                    loud += steps_for(episode, seconds)
                floods.append(json.loads(printed[0]))
            episode.act("win")
    service.stop()
    alone, beside = statistics.median(quiet), statistics.median(loud)
    return {
        "alone_ms": alone,
        "beside_ms": beside,
        "ratio": beside / alone,
        "p99_ms": statistics.quantiles(loud, n=100)[-1],
        "made_a_second": statistics.fmean(each["made"] for each in floods),
        "refused_a_second": statistics.fmean(each["refused"] for each in floods),
    }


def main() -> None:
    """Measures, or floods."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--how", choices=HOW, action="append", help="the flood's way; default: all")
    parser.add_argument("--tries", type=int, help="a second, 0: no limit; default: 500, then 0")
    parser.add_argument("--connections", type=int, default=4, help="of the flood (default 4)")
    parser.add_argument("--transport", choices=("unix", "tcp"), default="unix")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each turn (default 3)")
    parser.add_argument("--flood", metavar="ADDRESS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.flood:
        flood = Flood(options.flood, options.tries or UNLIMITED, options.connections)
        asyncio.run(flood.run(options.how[0]))
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, {options.connections} floods")
    heads = ("alone ms", "beside", "ratio", "p99", "made/s", "refused/s")
    print(f"{'flood':<20}" + "".join(f"{head:>10}" for head in heads))
    for how, tries in itertools.product(
        options.how or HOW, (500, UNLIMITED) if options.tries is None else (options.tries,)
    ):
        listen = "127.0.0.1:0" if options.transport == "tcp" else ""
        row = measure(how, tries, options.connections, options.seconds, listen)
        name = f"{how} {tries}/s" if tries else how
        print(f"{name:<20}" + "".join(f"{value:>10.2f}" for value in row.values()), flush=True)


if __name__ == "__main__":
    main()
