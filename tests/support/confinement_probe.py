"""Prints as JSON what a process can reach and change. Runs inside a container, with Python alone.

    python confinement_probe.py '{"tcp": [["10.0.0.1", 80]], "write": ["/etc/x"]}'

Nothing leaves the machine that way: connecting a UDP socket sends no packet, and TCP is tried with
the addresses that are given, each for a second.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SECONDS = 1.0
OUTSIDE = "192.0.2.1"
"""Reserved for documentation (RFC 5737): what counts is whether a route leads there."""


def attempt(action: Callable[[], object]) -> str:
    """ "done", or the error's name."""
    try:
        action()
    except TimeoutError:
        return "TIMEOUT"
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, repr(error))
    return "done"


def connect(kind: socket.SocketKind, host: str, port: int) -> str:
    """What comes of connecting."""
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(SECONDS)
        return attempt(lambda: one.connect((host, port)))


def sockets(*folders: str) -> Iterator[str]:
    """Unix sockets in these folders."""
    for folder in folders:
        for place in sorted(Path(folder).rglob("*")):
            if stat.S_ISSOCK(place.lstat().st_mode):
                yield str(place)


def others() -> list[str]:
    """Commands of processes that are neither this one nor an init."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) not in (1, os.getpid()):
            found.append((place / "cmdline").read_bytes().decode().replace("\0", " "))
    return found


def routes() -> list[str]:
    """Lines of the kernel's table of routes, but for its heading."""
    return Path("/proc/net/route").read_text(encoding="ascii").splitlines()[1:]


def service() -> str:
    """Whether the service is open: it holds a lock for as long as it runs."""
    try:
        with Path("/run/houseguest/open").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return "open"
    except OSError as error:
        return str(error)
    return "gone"


def status(name: str) -> str:
    """A line of this process's status."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(line.split(":")[1].strip() for line in lines if line.startswith(f"{name}:"))


def main() -> None:
    """Prints what was found."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    found = {
        "user": os.getuid(),
        "capabilities": [status("CapEff"), status("CapBnd")],
        "no_new_privileges": status("NoNewPrivs"),
        "interfaces": sorted(name for _, name in socket.if_nameindex()),
        "routes": routes(),
        "outside": connect(socket.SOCK_DGRAM, OUTSIDE, 9),
        "tcp": {
            f"{host}:{port}": connect(socket.SOCK_STREAM, host, port)
            for host, port in asked.get("tcp", [])
        },
        "write": {place: attempt(Path(place).touch) for place in asked.get("write", [])},
        "sockets": list(sockets("/run", "/tmp", "/var")),
        "processes": others(),
        "service": service(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
