"""The player's side of AI2-THOR's FIFO protocol."""

from __future__ import annotations

import json
import os
import struct
import threading
from pathlib import Path

import pytest

from env_service.worlds.household.player.fifo import (
    ControllerGoneError,
    Field,
    Pipes,
    ProtocolError,
    encode,
)

END = struct.pack("!BI", 255, 0)


def written(kind: int, body: bytes) -> bytes:
    return struct.pack("!BI", kind, len(body)) + body


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, str]:
    both = (str(tmp_path / "server.pipe"), str(tmp_path / "client.pipe"))
    for path in both:
        os.mkfifo(path)
    return both


def from_controller(paths: tuple[str, str], message: bytes) -> threading.Thread:
    def write() -> None:
        with Path(paths[1]).open("wb") as pipe:
            pipe.write(message)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def test_a_message_is_its_fields_and_an_end() -> None:
    pieces = encode([(Field.METADATA, b"abc"), (Field.COLOR, b"")])
    assert b"".join(pieces) == written(1, b"abc") + written(4, b"") + END


def test_a_large_message_arrives_whole(paths: tuple[str, str]) -> None:
    pipes, body, read = Pipes(*paths), os.urandom(5_000_000), []
    reader = threading.Thread(target=lambda: read.append(Path(paths[0]).read_bytes()))
    reader.start()
    pipes.send(encode([(Field.COLOR, body)]))
    pipes.close()
    reader.join(60)
    assert read == [written(4, body) + END]


def test_an_action_is_read(paths: tuple[str, str]) -> None:
    action = {"action": "Pass", "sequenceId": 3}
    thread = from_controller(paths, written(2, json.dumps(action).encode()) + END)
    assert Pipes(*paths).receive() == action
    thread.join(60)


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (written(9, b"{}") + END, "type 9"),
        (written(2, b"{no") + END, "not JSON"),
        (written(2, b"[1]") + END, "not a mapping"),
        (END, "without an action"),
    ],
)
def test_what_is_no_action_is_refused(
    paths: tuple[str, str], message: bytes, complaint: str
) -> None:
    from_controller(paths, message)
    with pytest.raises(ProtocolError, match=complaint):
        Pipes(*paths).receive()


@pytest.mark.parametrize("message", [b"", b"\2\0", written(2, b"{}")[:-1]])
def test_a_controller_that_leaves_is_noticed(paths: tuple[str, str], message: bytes) -> None:
    from_controller(paths, message)
    with pytest.raises(ControllerGoneError):
        Pipes(*paths).receive()


def test_a_reader_that_leaves_is_noticed(paths: tuple[str, str]) -> None:
    pipes = Pipes(*paths)

    def read_a_little() -> None:
        with Path(paths[0]).open("rb", buffering=0) as pipe:
            pipe.read(10)

    reader = threading.Thread(target=read_a_little)
    reader.start()
    with pytest.raises(ControllerGoneError):
        pipes.send([b"x" * 8_000_000])
    reader.join(60)


def test_pipes_that_are_gone_are_noticed(tmp_path: Path) -> None:
    with pytest.raises(ControllerGoneError):
        Pipes(str(tmp_path / "none"), str(tmp_path / "none")).send([b"x"])
