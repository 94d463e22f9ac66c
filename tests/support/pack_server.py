"""A small data pack, and a web server that serves packs well and badly."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from env_service.datasets import registry
from env_service.datasets.registry import PackDefinition
from env_service.plugins import Group, Plugin

TOY_COMMIT = "0123456789abcdef" * 2 + "01234567"
TOY_FILES = {
    "plans/mug [1]/plan.json": b'{"steps": 3}\n' * 700,
    "plans/mug [2]/plan.json": b'{"steps": 4}\n' * 900,
    "scenes/FloorPlan1.json": bytes(range(256)) * 300,
    "scenes/FloorPlan2.json": b"{}",
    "scenes/Küche 3.json": b'{"scene": 3}\n',
}
"""The pack ``toy``; one path with brackets and a space, one that is not ASCII."""


def write_registry(folder: Path, packs: Mapping[str, Mapping[str, bytes]]) -> None:
    """Writes a registry of packs with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, files in packs.items():
        head = {
            "purpose": f"what {name} is for",
            "repository": f"someone/{name}",
            "commit": TOY_COMMIT,
            "licence": "MIT",
            "copyright": "2026 Someone",
        }
        lines = [f'{key} = "{value}"\n' for key, value in head.items()]
        (folder / f"{name}.toml").write_text("".join(lines), encoding="utf-8")
        sums = [
            f"{hashlib.sha256(data).hexdigest()} {len(data)} {path}\n"
            for path, data in sorted(files.items())
        ]
        (folder / f"{name}.sums").write_text("".join(sums), encoding="utf-8")


def use_registry(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Makes the packs that ``write_registry`` wrote into a folder the only ones."""
    packs = packs_in(folder)
    monkeypatch.setattr(registry, "installed", lambda _: packs)


def packs_in(folder: Path) -> dict[str, Plugin]:
    """The packs that ``write_registry`` wrote into a folder, which becomes a package."""
    # A separate name for each folder: what was read of a package is remembered.
    name = f"packs_{hashlib.sha256(str(folder).encode()).hexdigest()}"
    begin = folder / "__init__.py"
    begin.touch()
    spec = importlib.util.spec_from_file_location(
        name, begin, submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    return {
        path.stem: Plugin(Group.DATA_PACKS, path.stem, name, ("packs-of-a-test",))
        for path in sorted(folder.glob("*.toml"))
    }


def use_toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PackDefinition:
    """Makes ``toy`` and ``other`` the only packs, kept in ``tmp_path/data``. Returns toy."""
    write_registry(tmp_path / "registry", {"toy": TOY_FILES, "other": {"other.txt": b"other"}})
    use_registry(monkeypatch, tmp_path / "registry")
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("HOUSEGUEST_DATA_MIRROR", raising=False)
    return registry.definition("toy")


def write_files(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Writes files below a folder, and returns it."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


class PackServer:
    """Serves ``files`` by their full path, such as ``someone/toy/COMMIT/scenes/a.json``.

    ``faults`` has, by the path's end, what is done in place of serving the file well, an entry
    for each request in turn: a status (404, 429, 500), "drop" (half of it, then no more),
    "short" (half of it, without a length), "wrong" (as many other bytes), "long" (bytes
    without end), "slow" (in eight pieces, a tenth of a second apart) or "silent" (half of it,
    then nothing until the server closes). ``requests`` counts what was asked for by path;
    ``busiest`` is how many were served at once.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.faults: dict[str, list[int | str]] = {}
        self.requests: Counter[str] = Counter()
        self.agents: set[str] = set()
        self.busiest = 0
        self.closing = threading.Event()
        self.gate: threading.Event | None = None
        self.retry_after = ""
        self._now = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.packs = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @staticmethod
    def of(definition: PackDefinition, files: Mapping[str, bytes]) -> PackServer:
        """A server of one pack."""
        base = f"{definition.repository}/{definition.commit}"
        return PackServer({f"{base}/{path}": data for path, data in files.items()})

    def __enter__(self) -> PackServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_fault(self, path: str) -> int | str | None:
        """Counts a request, and says what goes wrong with it."""
        with self._lock:
            self.requests[path] += 1
            faults = next((each for end, each in self.faults.items() if path.endswith(end)), [])
            return faults.pop(0) if faults else None

    @contextmanager
    def serving(self) -> Iterator[None]:
        """One request is being served; where there is a gate, it waits for that to open."""
        with self._lock:
            self._now += 1
            self.busiest = max(self.busiest, self._now)
        try:
            if self.gate is not None:
                self.gate.wait(30)
            yield
        finally:
            with self._lock:
                self._now -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    packs: PackServer

    def handle_error(self, *_: object) -> None:
        """Clients that leave are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        packs = self.server.packs
        path = unquote(self.path).lstrip("/")
        packs.agents.add(self.headers["User-Agent"])
        fault = packs.next_fault(path)
        data = packs.files.get(path)
        with packs.serving():
            if data is None or isinstance(fault, int):
                self._refuse(404 if data is None else fault)
            else:
                self._serve(data, fault)

    def _refuse(self, status: object) -> None:
        assert isinstance(status, int)
        self.send_response(status)
        if self.server.packs.retry_after:
            self.send_header("Retry-After", self.server.packs.retry_after)
        self.end_headers()

    def _serve(self, data: bytes, fault: object) -> None:
        self.send_response(200)
        if fault not in ("short", "long"):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if fault in ("drop", "short"):
            self.wfile.write(data[: len(data) // 2])
        elif fault == "wrong":
            self.wfile.write(bytes(byte ^ 1 for byte in data))
        elif fault == "long":
            while not self.server.packs.closing.is_set():
                self.wfile.write(data)
        elif fault == "slow":
            size = -(-len(data) // 8)
            for start in range(0, len(data), size):
                self.wfile.write(data[start : start + size])
                self.server.packs.closing.wait(0.1)
        elif fault == "silent":
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.server.packs.closing.wait(60)
        else:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""
