"""What callers without a good token may cost: their calls are slowed down, connections closed.

A refusal takes the event loop about a millisecond, so that a thousand a second would leave no time
for anybody else. Refusals beyond a rate wait asleep, which costs nothing, and HTTP/2 bounds how
many calls a connection may leave open. gRPC cannot close a connection from the server's side; a TCP
connection is shut down by its socket. gRPC names every caller on a Unix socket ``unix:``, and does
not say which connection a call came on: these are slowed down and not closed. Nor would it bar
anybody, since a flood can connect anew; the socket's folder says who may connect at all.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from env_service.domain.reasons import ProtocolError
from env_service.gateway.rate_limit import TokenBucket
from env_service.gateway.rpc import Context

LOG = logging.getLogger(__name__)

REFUSALS_A_SECOND = 20.0
"""Calls of one listener that are refused at once for want of a good token, on average."""
BURST_SECONDS = 5.0
"""A hundred refusals may come at once: as many agents that start with an old token are told so."""
WAIT_SECONDS = 5.0
"""How long a refusal beyond that rate waits."""
MOST_WAITING = 4096
"""Refusals of one listener that wait, each in some 27 KB of memory: those of 32 connections with as
many open calls as one may have. Further ones are answered at once."""
MOST_IN_A_ROW = 100
"""Wrong tokens of one TCP connection without a good one between them; one more closes it."""
REMEMBERED = 4096
"""Connections whose wrong tokens are counted. The one that was heard longest ago goes first."""
OPEN_CALLS_A_SECOND = 100.0
"""Calls of one listener that need no token (health, reflection, methods that do not exist) and are
answered at once, on average."""


class Strangers:
    """Those who call one listener without a good token. For one event loop."""

    def __init__(self) -> None:
        now = time.monotonic()
        self._refusals = TokenBucket(REFUSALS_A_SECOND, BURST_SECONDS, now)
        self._open_calls = TokenBucket(OPEN_CALLS_A_SECOND, BURST_SECONDS, now)
        self._wrong: OrderedDict[str, int] = OrderedDict()
        self._waiting = 0

    async def refuse(self, context: Context) -> None:
        """A call is about to be refused for its token: returns when it is time to say so."""
        peer = context.peer()
        in_a_row = self._count(peer) if _address(peer) is not None else 0
        if in_a_row > MOST_IN_A_ROW and await asyncio.to_thread(close_connection, peer):
            LOG.warning(
                "closed the connection of %s: more than %d wrong tokens in a row",
                peer,
                MOST_IN_A_ROW,
            )
            del self._wrong[peer]
        await self._wait(self._refusals)

    async def admit(self) -> None:
        """A call needs no token: returns when it may be answered."""
        await self._wait(self._open_calls)

    def forgive(self, context: Context) -> None:
        """A call came with a good token."""
        if self._wrong:
            self._wrong.pop(context.peer(), None)

    def _count(self, peer: str) -> int:
        self._wrong[peer] = self._wrong.get(peer, 0) + 1
        self._wrong.move_to_end(peer)
        if len(self._wrong) > REMEMBERED:
            self._wrong.popitem(last=False)
        return self._wrong[peer]

    async def _wait(self, bucket: TokenBucket) -> None:
        try:
            bucket.take(time.monotonic())
        except ProtocolError:
            if self._waiting >= MOST_WAITING:
                return
            self._waiting += 1
            try:
                await asyncio.sleep(WAIT_SECONDS)
            finally:
                self._waiting -= 1


def close_connection(peer: str) -> bool:
    """Shuts down this process's TCP connection with a peer, as ``grpc.aio`` names it; returns
    whether it found one."""
    address = _address(peer)
    if address is None:
        return False
    with suppress(OSError):
        for link in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                if _shut_down(int(link.name), address):
                    return True
    return False


def _shut_down(descriptor: int, peer: tuple[str, int]) -> bool:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return False
    # A copy stays what it is when gRPC closes the original and the number is used again.
    with socket.socket(fileno=os.dup(descriptor)) as copy:
        if copy.family not in (socket.AF_INET, socket.AF_INET6):
            return False
        host, port = copy.getpeername()[:2]
        if (host.removeprefix("::ffff:"), port) != peer:
            return False
        copy.shutdown(socket.SHUT_RDWR)
    return True


def _address(peer: str) -> tuple[str, int] | None:
    """``ipv4:host:port`` or ``ipv6:[host]:port`` (percent-encoded); None for another peer."""
    kind, _, address = unquote(peer).partition(":")
    host, _, port = address.rpartition(":")
    if kind not in ("ipv4", "ipv6") or not port.isdecimal():
        return None
    return host.strip("[]").removeprefix("::ffff:"), int(port)
