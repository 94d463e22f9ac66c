"""A build of AI2-THOR that is the stand-in player, its zip file, and a web server that resumes."""

from __future__ import annotations

import hashlib
import re
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from env_service.worlds.household.player.stand_in_build import install

PADDING = bytes(range(256)) * 2048
"""So that a download has more than one piece."""


def zipped_build(folder: Path, platform: str = "CloudRendering") -> Path:
    """Writes the stand-in player as a zip file that a build is published as."""
    executable = install(folder / "made", platform)
    archive = folder / f"{executable.name}.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for each in executable.parent.iterdir():
            file.write(each, each.name)
        file.writestr(f"{executable.name}_Data/level0", PADDING)
    return archive


class BuildServer:
    """Serves ``files`` by their name, with ranges.

    ``drops`` are numbers of bytes: each of the next requests for a zip file ends after so many.
    ``ranges`` are the ranges that were asked for; ``resumes`` is whether the server supports them;
    ``tag`` is its files' version.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files, self.tag, self.resumes = files, '"one"', True
        self.drops: list[int] = []
        self.ranges: list[str] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.builds = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @staticmethod
    def of(archive: Path) -> BuildServer:
        """A server of one build and its checksum."""
        data = archive.read_bytes()
        line = f"{hashlib.sha256(data).hexdigest()}  {archive.name}\n"
        return BuildServer({archive.name: data, f"{archive.stem}.sha256": line.encode()})

    def __enter__(self) -> BuildServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    builds: BuildServer

    def handle_error(self, *_: object) -> None:
        """Clients that leave are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        builds = self.server.builds
        data = builds.files.get(self.path.lstrip("/"))
        if data is None:
            self.send_error(404)
            return
        start = self._start(len(data))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("ETag", builds.tag)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        drop = builds.drops.pop(0) if builds.drops and self.path.endswith(".zip") else len(data)
        self.wfile.write(data[start : start + drop])

    def _start(self, size: int) -> int:
        builds = self.server.builds
        wanted = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted is None:
            return 0
        builds.ranges.append(wanted[0])
        same = self.headers.get("If-Range") == builds.tag
        return int(wanted[1]) if builds.resumes and same and int(wanted[1]) < size else 0

    def log_message(self, *_: object) -> None:
        """Says nothing."""
