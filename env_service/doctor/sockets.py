"""Whether guests can reach a house here: a Unix socket, and a port on this host."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from env_service.doctor.finding import Finding, State, Subject

LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path, as the listeners take it."""
_LOOPBACK = "127.0.0.1"


def sockets(subject: Subject) -> Iterator[Finding]:
    """Binds and connects one of each."""
    del subject
    yield _unix_socket()
    yield _port()


def _unix_socket() -> Finding:
    name = "unix socket"
    shorter = "Let TMPDIR name a short path on a local disk, such as /tmp."
    try:
        # As `houseguest run` does it.
        with tempfile.TemporaryDirectory(prefix="houseguest-") as folder:
            path = Path(folder) / "control.sock"
            if len(os.fsencode(path)) > LONGEST_SOCKET:
                found = f"{path} is too long: {LONGEST_SOCKET} bytes fit"
                return Finding(name, State.PROBLEM, found, shorter)
            _talk(socket.AF_UNIX, str(path))
    except OSError as error:
        found = f"cannot be used in {tempfile.gettempdir()}: {error.strerror or error}"
        return Finding(name, State.PROBLEM, found, shorter)
    return Finding(name, State.OK, f"works in {tempfile.gettempdir()}")


def _port() -> Finding:
    name = "port"
    try:
        _talk(socket.AF_INET, (_LOOPBACK, 0))
    except OSError as error:
        found = f"{_LOOPBACK} cannot be used: {error.strerror or error}"
        mend = "Runs work without one; agents on other hosts need it. Is the loopback up?"
        return Finding(name, State.WARNING, found, mend)
    return Finding(name, State.OK, f"works on {_LOOPBACK}")


def _talk(family: int, address: str | tuple[str, int]) -> None:
    """Raises OSError where a byte does not go through."""
    with socket.socket(family) as server, socket.socket(family) as client:
        for end in (server, client):
            end.settimeout(5.0)
        server.bind(address)
        server.listen(1)
        client.connect(server.getsockname())
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"?")
            if accepted.recv(1) != b"?":
                raise OSError("what was sent did not arrive")
