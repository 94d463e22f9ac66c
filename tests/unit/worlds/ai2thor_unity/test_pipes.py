"""The pipes to a player: everything arrives whole, or the wait ends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.worlds.ai2thor_unity.player import GoneError, LateError, Pipes


class Living:
    """A player's process as far as pipes look at it; ``dies`` is a descriptor that says so."""

    def __init__(self, *, kernel_tells: bool = True) -> None:
        self._reading, self._writing = os.pipe()
        self.watch = self._reading if kernel_tells else None
        self.dead = False

    def die(self) -> None:
        self.dead = True
        os.write(self._writing, b"x")

    def status(self) -> int | None:
        return 0 if self.dead else None

    def wait(self, seconds: float) -> bool:
        time.sleep(seconds)
        return self.dead

    def trim_log(self) -> None:
        pass

    def close(self) -> None:
        os.close(self._reading)
        os.close(self._writing)


@pytest.fixture(params=[True, False], ids=["told", "looking"])
def player(request: pytest.FixtureRequest) -> Iterator[Living]:
    """A player's life, told by the kernel or looked at."""
    living = Living(kernel_tells=request.param)
    yield living
    living.close()


@pytest.fixture
def pipes(tmp_path: Path, player: Living) -> Iterator[Pipes]:
    both = Pipes(tmp_path)
    process: Any = player
    both.attach(process)
    yield both
    both.close()
    both.close()


def soon(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


def read(pipes: Pipes, count: int, until: float) -> bytes:
    buffer = bytearray(count)
    pipes.read(memoryview(buffer), until=until)
    return bytes(buffer)


def test_a_large_message_arrives_whole(pipes: Pipes) -> None:
    body = os.urandom(5_000_000)
    writer = threading.Thread(target=lambda: pipes.from_player.write_bytes(body))
    writer.start()
    first, rest = bytearray(7), bytearray(len(body) - 7)
    pipes.read(memoryview(first), memoryview(b""), memoryview(rest), until=soon())
    writer.join()
    assert first + rest == body


def test_a_large_action_is_taken_whole(pipes: Pipes) -> None:
    body, taken = os.urandom(3_000_000), []
    reader = threading.Thread(target=lambda: taken.append(pipes.to_player.read_bytes()))
    reader.start()
    pipes.write(memoryview(b"abc"), memoryview(body), until=soon())
    pipes.close()
    reader.join()
    assert taken == [b"abc" + body]


def test_silence_ends_with_the_deadline(pipes: Pipes) -> None:
    with pytest.raises(LateError):
        read(pipes, 1, soon(0.1))


def test_a_trickle_ends_with_the_deadline(pipes: Pipes) -> None:
    ended = threading.Event()

    def trickle() -> None:
        with pipes.from_player.open("wb", buffering=0) as pipe:
            while not ended.wait(0.01):
                pipe.write(b"x")

    writer = threading.Thread(target=trickle)
    writer.start()
    try:
        with pytest.raises(LateError):
            read(pipes, 1_000_000, soon(0.2))
    finally:
        ended.set()
        writer.join()


def test_a_player_that_does_not_listen_is_late(pipes: Pipes) -> None:
    with pytest.raises(LateError):
        pipes.write(memoryview(b"action"), until=soon(0.1))


def test_a_player_that_does_not_read_is_late(pipes: Pipes) -> None:
    listening = os.open(pipes.to_player, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(LateError):
            pipes.write(memoryview(bytes(4_000_000)), until=soon(0.2))
    finally:
        os.close(listening)


def test_a_player_that_stopped_listening_is_gone(pipes: Pipes) -> None:
    listening = os.open(pipes.to_player, os.O_RDONLY | os.O_NONBLOCK)
    pipes.write(memoryview(b"action"), until=soon())
    os.close(listening)
    with pytest.raises(GoneError):
        pipes.write(memoryview(b"action"), until=soon())


def test_a_closed_pipe_is_noticed_after_what_is_in_it(pipes: Pipes) -> None:
    pipes.from_player.write_bytes(b"abc")
    assert read(pipes, 2, soon()) == b"ab"
    with pytest.raises(GoneError):
        read(pipes, 2, soon())


@pytest.mark.parametrize("opened", [True, False])
def test_a_death_is_noticed_though_the_pipe_stays_open(
    pipes: Pipes, player: Living, opened: bool
) -> None:
    """As when something that the player started still holds it."""
    held = os.open(pipes.from_player, os.O_WRONLY) if opened else None
    threading.Timer(0.05, player.die).start()
    try:
        with pytest.raises(GoneError):
            read(pipes, 1, soon())
    finally:
        if held is not None:
            os.close(held)


def test_the_last_answer_of_a_dead_player_is_read(pipes: Pipes, player: Living) -> None:
    pipes.from_player.write_bytes(b"answer")
    player.die()
    assert read(pipes, 6, soon()) == b"answer"


def test_a_dead_player_is_not_waited_for_to_listen(pipes: Pipes, player: Living) -> None:
    player.die()
    with pytest.raises(GoneError):
        pipes.write(memoryview(b"action"), until=soon())


def test_closed_pipes_are_of_no_use(pipes: Pipes) -> None:
    pipes.close()
    with pytest.raises(ValueError, match="closed"):
        read(pipes, 1, soon())
    with pytest.raises(ValueError, match="closed"):
        pipes.write(memoryview(b"x"), until=soon())
