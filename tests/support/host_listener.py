"""Listens on every address of the machine that it runs on; prints the port and these addresses.

Runs with Python alone, in a container that is in the network of the engine's host.
"""

from __future__ import annotations

import fcntl
import json
import signal
import socket
import struct
import threading

SIOCGIFADDR = 0x8915


def address(name: str) -> str:
    """An interface's IPv4 address; "" where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            packed = fcntl.ioctl(one, SIOCGIFADDR, struct.pack("256s", name.encode()))
        except OSError:
            return ""
    return socket.inet_ntoa(packed[20:24])


def greet(server: socket.socket) -> None:
    """Takes whoever comes, and hangs up."""
    while True:
        server.accept()[0].close()


def main() -> None:
    """Listens until it must end."""
    server = socket.create_server(("0.0.0.0", 0))
    threading.Thread(target=greet, args=(server,), daemon=True).start()
    found = [address(name) for _, name in socket.if_nameindex() if name != "lo"]
    port = server.getsockname()[1]
    print(json.dumps({"port": port, "addresses": [each for each in found if each]}), flush=True)
    signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    main()
