"""Callers without a good token: a few are told at once, a flood waits, and its connection goes."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from env_service.gateway import admission
from env_service.gateway.admission import (
    MOST_IN_A_ROW,
    REMEMBERED,
    UnauthenticatedCallers,
    close_connection,
)

AT_ONCE = 20


class Call:
    """A call of somebody."""

    def __init__(self, peer: str) -> None:
        self._peer = peer

    def peer(self) -> str:
        return self._peer


def refusal(door: UnauthenticatedCallers, peer: str = "unix:") -> asyncio.Task[None]:
    """The refusal of one call."""
    call: Any = Call(peer)
    return asyncio.ensure_future(door.refuse(call))


def test_a_flood_waits_and_a_few_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "WAIT_SECONDS", 3600.0)
    monkeypatch.setattr(admission, "REFUSALS_A_SECOND", 0.001)
    monkeypatch.setattr(admission, "BURST_SECONDS", 20_000.0)
    monkeypatch.setattr(admission, "MOST_WAITING", 10)

    async def play() -> None:
        door = UnauthenticatedCallers()
        tasks = [refusal(door) for _ in range(AT_ONCE + 5)]
        done, waiting = await asyncio.wait(tasks, timeout=0.5)
        assert (len(done), len(waiting)) == (AT_ONCE, 5)
        # Those that find too many waiting do not add to them.
        late = [refusal(door) for _ in range(8)]
        done, _ = await asyncio.wait(late, timeout=0.5)
        assert len(done) == 3
        assert door._waiting == 10
        for task in (*tasks, *late):
            task.cancel()
        await asyncio.gather(*tasks, *late, return_exceptions=True)
        assert door._waiting == 0

    asyncio.run(play())


def test_a_good_call_between_wrong_ones_saves_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []
    monkeypatch.setattr(admission, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(admission, "close_connection", lambda peer: closed.append(peer) or True)

    async def play() -> None:
        door, good = UnauthenticatedCallers(), Call("ipv4:127.0.0.1:1")
        for _ in range(3):
            for _ in range(MOST_IN_A_ROW):
                await refusal(door, good.peer())
            door.forgive(good)  # type: ignore[arg-type]
        assert closed == []
        for _ in range(MOST_IN_A_ROW + 1):
            await refusal(door, good.peer())
        assert closed == [good.peer()]

    asyncio.run(play())


def test_few_connections_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "WAIT_SECONDS", 0.0)

    async def play() -> None:
        door = UnauthenticatedCallers()
        for number in range(REMEMBERED + 10):
            door._count(f"ipv4:10.0.0.1:{number}")
        assert len(door._wrong) == REMEMBERED

    asyncio.run(play())


@pytest.mark.parametrize(
    ("family", "host", "name"),
    [
        (socket.AF_INET, "127.0.0.1", "ipv4:127.0.0.1:{}"),
        (socket.AF_INET6, "::1", "ipv6:%5B::1%5D:{}"),
    ],
)
def test_a_connection_is_found_by_its_peer(
    family: socket.AddressFamily, host: str, name: str
) -> None:
    with socket.socket(family) as listener:
        try:
            listener.bind((host, 0))
        except OSError:
            pytest.skip(f"{host} is not to be had here")
        listener.listen()
        where = listener.getsockname()[:2]
        bad, good = socket.create_connection(where), socket.create_connection(where)
        accepted = [listener.accept()[0] for _ in range(2)]
        with bad, good, accepted[0], accepted[1]:
            assert close_connection(name.format(bad.getsockname()[1]))
            assert bad.recv(1) == b""
            accepted[1].sendall(b"x")
            assert good.recv(1) == b"x"


@pytest.mark.parametrize("peer", ["unix:", "unix:/run/a.sock", "ipv4:127.0.0.1:1", "ipv4:x", ""])
def test_a_peer_without_a_connection_here(peer: str) -> None:
    assert not close_connection(peer)
