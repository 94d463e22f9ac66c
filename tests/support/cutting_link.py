"""A link between agents and a service that someone keeps cutting."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class CuttingLink:
    """Passes bytes between agents and a service, and drops every connection on request.

    With a path, ``target`` is a Unix socket; without one, HOST:PORT.
    """

    def __init__(self, target: str, path: Path | None = None) -> None:
        self._target = target.removeprefix("unix:")
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        if path is None:
            self._door = socket.create_server(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{self._door.getsockname()[1]}"
        else:
            self._door = socket.socket(socket.AF_UNIX)
            self._door.bind(str(path))
            self._door.listen()
            self.address = f"unix:{path}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Drops every connection."""
        with self._lock:
            for end in self._ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self._ends.clear()

    def close(self) -> None:
        """Drops every connection and takes no more."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                agent, _ = self._door.accept()
                service = self._connect()
                with self._lock:
                    self._ends |= {agent, service}
                for pair in ((agent, service), (service, agent)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _connect(self) -> socket.socket:
        if self.address.startswith("unix:"):
            service = socket.socket(socket.AF_UNIX)
            service.connect(self._target)
            return service
        host, _, port = self._target.partition(":")
        return socket.create_connection((host, int(port)))

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        source.close()


@contextmanager
def cut_now_and_then(link: CuttingLink, seed: int) -> Iterator[list[float]]:
    """Cuts every 50 to 150 ms; the list holds when."""
    rng, stop, cuts = random.Random(seed), threading.Event(), []

    def keep_cutting() -> None:
        while not stop.wait(rng.uniform(0.05, 0.15)):
            link.cut()
            cuts.append(time.monotonic())

    cutting = threading.Thread(target=keep_cutting)
    cutting.start()
    yield cuts
    stop.set()
    cutting.join()
