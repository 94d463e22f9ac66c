"""A guest in an image that does what its argument says: ``image_guest.py WHAT``; plain Python."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from http.client import HTTPConnection
from pathlib import Path


def exits() -> None:
    """Ends at once."""
    print("I am leaving", flush=True)
    sys.exit(3)


def sleeps() -> None:
    """Says nothing, does nothing."""
    time.sleep(3600)


def stays() -> None:
    """Does not want to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("I am staying", flush=True)
    time.sleep(3600)


def eats() -> None:
    """Takes 200 MB of memory."""
    print("I am hungry", flush=True)
    print(len(bytearray(b"x") * 200_000_000), flush=True)


def floods() -> None:
    """Writes 24 MB, then a last line."""
    line = b"x" * 999 + b"\n"
    for _ in range(240):
        os.write(1, line * 100)
    os.write(1, b"last words\n")


def mumbles() -> None:
    """Closes its output, and ends later."""
    os.close(1)
    os.close(2)
    time.sleep(0.5)
    sys.exit(4)


class _Connection(HTTPConnection):
    """HTTP over the socket that a guest's settings name."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["HOUSEGUEST_BASE_URL"].removeprefix("unix:"))


def asks() -> None:
    """Asks its model's server, and says what came back."""
    connection = _Connection("model")
    connection.request("GET", "/v1/models")
    answer = connection.getresponse()
    print(answer.status, answer.read().decode(), flush=True)


def looks() -> None:
    """Prints as JSON what it finds around it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # No packet is sent: it only asks whether there is a way.
        way = probe.connect_ex(("192.0.2.1", 9))
    seen = {
        "user": [os.getuid(), os.getgid()],
        "capabilities": [facts["CapEff"].strip(), facts["CapBnd"].strip()],
        "no_new_privileges": facts["NoNewPrivs"].strip(),
        "writable": [place for place in _places() if _can_write(Path(place))],
        "house": _names("/run/houseguest"),
        "interfaces": _names("/sys/class/net"),
        "way_out": way == 0,
        "environment": dict(os.environ),
    }
    print(json.dumps(seen), flush=True)


def _names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def _places() -> list[str]:
    shown = ("/", "/etc", "/usr", "/data", "/tmp", "/dev", "/dev/shm", "/run", "/run/houseguest")
    return [place for place in (*shown, "/mnt/shown") if Path(place).is_dir()]


def _can_write(folder: Path) -> bool:
    try:
        (folder / "written").write_bytes(b"x")
    except OSError:
        return False
    return True


if __name__ == "__main__":
    globals()[sys.argv[1]]()
