"""Answers the page's requests."""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from ..player import NotNowError
from .commands import BadCommandError, read_command
from .document import document
from .guard import refusal

if TYPE_CHECKING:
    from .server import PageServer

PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
MOST_BYTES = 2**20
"""Of a request's body: far above what any house takes as one action."""
_LONGEST_NAME = 64
"""Characters of the name that a page gives itself."""
POLL_SECONDS = 20.0
"""How long a page waits for news before it asks again."""


class Handler(BaseHTTPRequestHandler):
    """One request after the other on one connection."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "houseguest", ""
    timeout = 60

    def do_GET(self) -> None:
        """The page, its parts, pictures, and the state."""
        if (status := self._refusal("GET")) is not None:
            self._plain(status)
            return
        url = urlsplit(self.path)
        name = "/".join(url.path.split("/")[2:])
        if name == "state":
            self._state(parse_qs(url.query))
        elif name.startswith("picture/"):
            self._picture(name.removeprefix("picture/"))
        else:
            self._file(name or "index.html")

    def do_POST(self) -> None:
        """A decision."""
        body = self._body()
        if body is None:
            self._plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        if (status := self._refusal("POST")) is not None:
            self._plain(status)
            return
        if not urlsplit(self.path).path.endswith("/act"):
            self._plain(HTTPStatus.NOT_FOUND)
            return
        try:
            self.server.player.send(*read_command(body))
        except BadCommandError as error:
            self._json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
        except NotNowError as error:
            self._json({"error": str(error)}, HTTPStatus.CONFLICT)
        else:
            self._json(document(self.server.player.view, self.server.name))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing: the terminal is the person's."""

    def _refusal(self, method: str) -> HTTPStatus | None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return refusal(method, self.path, headers, self.server.secret)

    def _body(self) -> bytes | None:
        """The body; None where it is too long, or of no told length."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _state(self, query: dict[str, list[str]]) -> None:
        after = query.get("after", [""])[0]
        player = self.server.player
        known = int(after) if after.isdecimal() else -1
        page = query.get("page", [""])[0][:_LONGEST_NAME]
        self.server.asks(page)
        view = player.wait(known, POLL_SECONDS)
        self._json(document(view, self.server.name))
        self.server.told(page, view)

    def _picture(self, key: str) -> None:
        picture = self.server.picture(key)
        if picture is None:
            self._plain(HTTPStatus.NOT_FOUND)
            return
        keep = {"Cache-Control": "private, max-age=3600, immutable"}
        self._answer(picture.data, picture.media_type, more=keep)

    def _file(self, name: str) -> None:
        path = PAGE / name
        if path.parent != PAGE or path.suffix not in _TYPES or not path.is_file():
            self._plain(HTTPStatus.NOT_FOUND)
            return
        self._answer(path.read_bytes(), _TYPES[path.suffix])

    def _json(self, content: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._answer(json.dumps(content).encode(), "application/json", status)

    def _plain(self, status: HTTPStatus) -> None:
        self._answer(f"{status.phrase}\n".encode(), "text/plain; charset=utf-8", status)

    def _answer(
        self,
        body: bytes,
        media_type: str,
        status: HTTPStatus = HTTPStatus.OK,
        more: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        headers = {"Cache-Control": "no-store", **_HEADERS, **(more or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
