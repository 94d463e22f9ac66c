"""An X server, asked over its protocol for what AI2-THOR's player needs.

It speaks only the connection setup and QueryExtension of the X11 core protocol, with a time limit
on every byte: client libraries wait for ever for a server that hangs.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 5.0
"""Seconds for all that one server is asked."""
DEPTH = 24
"""Bits of the root window that AI2-THOR demands (docs/ai2thor.md, "Player lifetime and
deadlines")."""
SOCKETS = Path("/tmp/.X11-unix")  # noqa: S108 - the X server's, not ours

ABSENT = "no server answers"
"""The fault of a display without a server."""

_NAME = re.compile(r"(?:(?P<host>[^:/]*):|:?)(?P<number>\d+)(?:\.(?P<screen>\d+))?")
_COOKIE = b"MIT-MAGIC-COOKIE-1"
_LOCAL, _WILD = 256, 65535
_GLX = b"GLX"
_PORT = 6000
_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen's size in pixels, and the bits of its root window."""

    width: int
    height: int
    depth: int


@dataclass(frozen=True, slots=True)
class DisplayName:
    """An X display's name in its parts; ``screen`` is None where it is not named."""

    host: str
    number: int
    screen: int | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.number}.{self.screen or 0}"

    @classmethod
    def parse(cls, text: str) -> DisplayName:
        """Reads ":0", ":0.1", "0.1" or "host:0". Raises ValueError for anything else."""
        found = _NAME.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is not an X display; write one as :0 or :0.1")
        screen = int(found["screen"]) if found["screen"] else None
        return cls(found["host"] or "", int(found["number"]), screen)

    @property
    def socket_path(self) -> Path:
        """Where a server on this machine listens."""
        return SOCKETS / f"X{self.number}"


@dataclass(frozen=True, slots=True)
class XServer:
    """A display's server. ``fault`` says why it cannot be used; the rest is empty then.

    ``private`` is true if a program started it for itself, as Houseguest does with Xvfb: it may end
    at any moment.
    """

    screens: tuple[Screen, ...] = ()
    glx: bool = False
    vendor: str = ""
    private: bool = False
    fault: str = ""


def look(
    name: DisplayName, environment: Mapping[str, str] = os.environ, seconds: float = PATIENCE
) -> XServer:
    """Connects to a display and asks it. Never raises because of it, and never waits longer."""
    try:
        with _connected(name, seconds) as connection:
            return _ask(connection, _cookie(name, environment), time.monotonic() + seconds)
    except TimeoutError:
        return XServer(fault=f"its server does not answer within {seconds:g} s")
    except (FileNotFoundError, ConnectionRefusedError):
        return XServer(fault=ABSENT)
    except (OSError, ValueError, IndexError, struct.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        return XServer(fault=f"its server cannot be used: {why}")


def _connected(name: DisplayName, seconds: float) -> socket.socket:
    if name.host not in ("", "unix"):
        return socket.create_connection((name.host, _PORT + name.number), seconds)
    connection = socket.socket(socket.AF_UNIX)
    path = str(name.socket_path)
    try:
        connection.settimeout(seconds)
        # Where the folder cannot be written, a server has an abstract socket alone.
        connection.connect(path if name.socket_path.exists() else f"\0{path}")
    except BaseException:
        connection.close()
        raise
    return connection


def _ask(connection: socket.socket, cookie: bytes, deadline: float) -> XServer:
    kind = _COOKIE if cookie else b""
    head = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(kind), len(cookie))
    connection.sendall(head + _padded(kind) + _padded(cookie))
    status, length, units = struct.unpack("<BBxxxxH", _read(connection, 8, deadline))
    setup = _read(connection, 4 * units, deadline)
    if status != 1:
        why = setup[: length if status == 0 else None].split(b"\0")[0]
        return XServer(fault=_refused(why.decode(errors="replace").strip()))
    (vendor_length,) = struct.unpack_from("<H", setup, 16)
    return XServer(
        tuple(_screens(setup, vendor_length)),
        _has_glx(connection, deadline),
        setup[32 : 32 + vendor_length].decode(errors="replace"),
        _is_private(connection),
    )


def _refused(why: str) -> str:
    return (
        f"its server refuses clients without its cookie ({why or 'it says no more'}): let"
        " XAUTHORITY name the file that holds it, or run `xhost +si:localuser:$USER` as its owner"
    )


def _screens(setup: bytes, vendor_length: int) -> Iterator[Screen]:
    roots, formats = setup[20], setup[21]
    place = 32 + vendor_length + -vendor_length % 4 + 8 * formats
    for _ in range(roots):
        width, height = struct.unpack_from("<HH", setup, place + 20)
        depth, depths = setup[place + 38], setup[place + 39]
        yield Screen(width, height, depth)
        place += 40
        for _ in range(depths):
            (visuals,) = struct.unpack_from("<H", setup, place + 2)
            place += 8 + 24 * visuals


def _has_glx(connection: socket.socket, deadline: float) -> bool:
    words = 2 + len(_padded(_GLX)) // 4
    connection.sendall(struct.pack("<BxHHxx", 98, words, len(_GLX)) + _padded(_GLX))
    reply = _read(connection, 32, deadline)
    if reply[0] != 1:
        raise ValueError("it does not answer which extensions it has")
    return bool(reply[8])


def _is_private(connection: socket.socket) -> bool:
    """Whether its server was started with -displayfd, to report its number to a program."""
    if connection.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return False
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    try:
        words = Path(f"/proc/{_CREDENTIALS.unpack(credentials)[0]}/cmdline").read_bytes()
    except OSError:
        return False
    return b"-displayfd" in words.split(b"\0")


def _read(connection: socket.socket, count: int, deadline: float) -> bytes:
    """Raises TimeoutError, and ValueError if the server hangs up."""
    pieces = b""
    while len(pieces) < count:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        piece = connection.recv(count - len(pieces))
        if not piece:
            raise ValueError("it hung up")
        pieces += piece
    return pieces


def _padded(text: bytes) -> bytes:
    return text + bytes(-len(text) % 4)


def _cookie(name: DisplayName, environment: Mapping[str, str]) -> bytes:
    """The display's cookie out of the user's file; empty if there is none."""
    path = environment.get("XAUTHORITY") or f"{environment.get('HOME', '')}/.Xauthority"
    host = (name.host or socket.gethostname()).encode()
    with suppress(OSError, struct.error):
        for family, address, number, kind, cookie in _records(Path(path).read_bytes()):
            right_host = family == _WILD or address == host or (name.host and family != _LOCAL)
            if kind == _COOKIE and right_host and number in (b"", str(name.number).encode()):
                return cookie
    return b""


def _records(data: bytes) -> Iterator[tuple[int, bytes, bytes, bytes, bytes]]:
    """Family, address, display number, kind and cookie of each line of an Xauthority file."""
    place = 0
    while place < len(data):
        (family,) = struct.unpack_from(">H", data, place)
        place += 2
        fields = []
        for _ in range(4):
            (length,) = struct.unpack_from(">H", data, place)
            fields.append(data[place + 2 : place + 2 + length])
            place += 2 + length
        yield family, fields[0], fields[1], fields[2], fields[3]
