"""What an X server says of itself, and whatever else it may do."""

from __future__ import annotations

import socket
import struct
import time
from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import xserver
from env_service.worlds.ai2thor_unity.graphics.xserver import DisplayName, Screen
from tests.support.thor_tools import extension, setup, x_server

NAME = DisplayName("", 7)
COOKIE = b"0123456789abcdef"


@pytest.fixture(autouse=True)
def sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of sockets that is not the machine's."""
    monkeypatch.setattr(xserver, "SOCKETS", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "name", "whole"),
    [
        (":0", DisplayName("", 0), ":0.0"),
        (":12.3", DisplayName("", 12, 3), ":12.3"),
        ("0.1", DisplayName("", 0, 1), ":0.1"),
        ("far.example:1", DisplayName("far.example", 1), "far.example:1.0"),
    ],
)
def test_display_names_are_read(text: str, name: DisplayName, whole: str) -> None:
    assert DisplayName.parse(text) == name
    assert str(name) == whole


@pytest.mark.parametrize("text", ["", ":", "left", ":0.x", ":-1", "a/b:0"])
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an X display"):
        DisplayName.parse(text)


def test_screens_and_glx_are_told(sockets: Path) -> None:
    answers = setup((1280, 1024, 24), (640, 480, 16)), extension(present=True)
    with x_server(sockets, 7, *answers):
        found = xserver.look(NAME, {})

    assert found.fault == ""
    assert found.screens == (Screen(1280, 1024, 24), Screen(640, 480, 16))
    assert (found.glx, found.vendor, found.private) == (True, "Tested", False)


def test_a_server_without_glx_says_so(sockets: Path) -> None:
    with x_server(sockets, 7, setup((800, 600, 24)), extension(present=False)):
        assert not xserver.look(NAME, {}).glx


def test_no_server_and_a_dead_one_are_the_same(sockets: Path) -> None:
    assert xserver.look(NAME, {}).fault == "no server answers"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(sockets / "X7"))
    assert xserver.look(NAME, {}).fault == "no server answers"


def test_a_server_that_hangs_is_given_up(sockets: Path) -> None:
    start = time.monotonic()
    with x_server(sockets, 7, b"\1", hold=True):
        assert "does not answer within 0.3 s" in xserver.look(NAME, {}, 0.3).fault
    with x_server(sockets, 8, setup((800, 600, 24)), hold=True):
        assert "does not answer" in xserver.look(DisplayName("", 8), {}, 0.3).fault
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    "answer", [b"", b"\1\0", bytes(8), setup((8, 8, 24))[:30], b"HTTP/1.1 400 "]
)
def test_a_server_that_talks_nonsense_is_named(sockets: Path, answer: bytes) -> None:
    with x_server(sockets, 7, answer):
        assert xserver.look(NAME, {}, 2.0).fault


def test_a_server_that_lets_nobody_in_says_how_to_get_in(sockets: Path) -> None:
    why = b"No protocol specified\n"
    refusal = struct.pack("<BBHHH", 0, len(why), 11, 0, 6) + why + bytes(24 - len(why))
    with x_server(sockets, 7, refusal):
        fault = xserver.look(NAME, {}).fault

    assert "(No protocol specified)" in fault
    assert "XAUTHORITY" in fault


def test_the_cookie_of_the_display_is_shown(sockets: Path) -> None:
    host = socket.gethostname().encode()
    lines = [
        (256, b"elsewhere", b"7", COOKIE[::-1]),
        (256, host, b"8", COOKIE[::-1]),
        (256, host, b"7", COOKIE),
    ]
    path = sockets / "authority"
    path.write_bytes(b"".join(record(*line) for line in lines))
    answers = setup((800, 600, 24)), extension(present=True)
    with x_server(sockets, 7, *answers) as heard:
        xserver.look(NAME, {"XAUTHORITY": str(path)})
    assert heard[0].endswith(b"MIT-MAGIC-COOKIE-1\0\0" + COOKIE)

    path.write_bytes(path.read_bytes()[:-3])
    with x_server(sockets, 9, *answers) as heard:
        xserver.look(DisplayName("", 9), {"HOME": str(sockets)})
    assert len(heard[0]) == 12


def record(family: int, host: bytes, number: bytes, cookie: bytes) -> bytes:
    fields = host, number, b"MIT-MAGIC-COOKIE-1", cookie
    return struct.pack(">H", family) + b"".join(
        struct.pack(">H", len(each)) + each for each in fields
    )
