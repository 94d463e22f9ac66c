"""Plays in a browser: the page's own small server, on this machine only."""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from ..player import Leave, NotNowError, Player
from ..settings import Settings
from ..view import Phase, Picture, View
from .messages import BadCommandError, document, read_command

# --- Answers the page's requests

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
"""The limit of a request's body, far above what any service accepts as one action."""
_LONGEST_NAME = 64
"""The maximum number of characters of the name that a page gives itself."""
POLL_SECONDS = 20.0
"""How long a page waits for news before it asks again."""


class Handler(BaseHTTPRequestHandler):
    """Answers the requests on one connection, one after the other."""

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
        """A command."""
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
        """Logs nothing, to keep the terminal free for the person."""

    def _refusal(self, method: str) -> HTTPStatus | None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return refusal(method, self.path, headers, self.server.secret)

    def _body(self) -> bytes | None:
        """The body; None if it is too long, or of unknown length."""
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
        self.server.mark_shown(page, view)

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


LOOPBACK = "127.0.0.1"
_GLANCE = 0.05
"""Seconds between checks whether the server should stop."""
_GONE = POLL_SECONDS + 5.0
"""Seconds after which a page that has not asked again counts as closed."""
_KEPT = 16
"""The number of pictures to keep for requests: those of the last few observations."""


class PageServer(ThreadingHTTPServer):
    """Serves one player's page. Its address contains a secret, which is new each time."""

    daemon_threads = True

    def __init__(self, player: Player, name: str, port: int) -> None:
        """``name`` is the person's, for the page; ``port`` 0 uses a free one. Raises OSError
        if the port is in use."""
        super().__init__((LOOPBACK, port), Handler)
        self.player, self.name = player, name
        self.secret = new_secret()
        self._kept: dict[str, Picture] = {}
        self._pages = threading.Condition()
        self._asked: dict[str, float] = {}
        self._last_shown = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self.serve_forever, args=(_GLANCE,), name="page", daemon=True
        )

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.secret}/"

    def start(self) -> None:
        """Starts to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stops answering."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Reports a fault of this program. A page that was closed while it waited is not one."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type] # socketserver's

    def asks(self, page: str) -> None:
        """Records that a page, by the name that it gave itself, waits for news."""
        now = time.monotonic()
        with self._pages:
            open_pages = {name: at for name, at in self._asked.items() if now - at < _GONE}
            self._asked = {**open_pages, page: now}

    def mark_shown(self, page: str, view: View) -> None:
        """Records that the page has this view."""
        with self._pages:
            if view.phase.final:
                self._asked.pop(page, None)
                self._last_shown = True
            self._pages.notify_all()

    def wait_until_shown(self, seconds: float) -> None:
        """Returns when every open page, and at least one, has the last view, or after so many
        seconds."""
        with self._pages:
            self._pages.wait_for(self._all_shown, seconds)

    def _all_shown(self) -> bool:
        now = time.monotonic()
        return self._last_shown and all(now - at >= _GONE for at in self._asked.values())

    def picture(self, key: str) -> Picture | None:
        """A picture of the current view, or of one of the last before it."""
        scene = self.player.view.scene
        with self._lock:
            for picture in scene.pictures if scene else ():
                self._kept.pop(picture.key, None)
                self._kept[picture.key] = picture
            for old in list(self._kept)[:-_KEPT]:
                del self._kept[old]
            return self._kept.get(key)


# --- Who may use the page's server: a browser on this machine with the secret

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_OWN_SITE = ("same-origin", "none")


def new_secret() -> str:
    """The secret part of the page's address."""
    return secrets.token_urlsafe(24)


def refusal(method: str, path: str, headers: Mapping[str, str], secret: str) -> HTTPStatus | None:
    """Why to refuse a request; None to answer it. ``headers`` have lower-case names.

    The host must be this machine under a name that no name server resolves (against DNS
    rebinding; any port, since a tunnel may use another). A request that a page sends must come from
    this page, and the path must begin with the secret.
    """
    host = headers.get("host", "")
    if host.rpartition(":")[0] not in _LOOPBACK and host not in _LOOPBACK:
        return HTTPStatus.FORBIDDEN
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return HTTPStatus.FORBIDDEN
    if method == "POST" and headers.get("sec-fetch-site", "same-origin") not in _OWN_SITE:
        return HTTPStatus.FORBIDDEN
    given = urlsplit(path).path.split("/")[1]
    if not secrets.compare_digest(given.encode(), secret.encode()):
        return HTTPStatus.NOT_FOUND
    if method == "POST" and headers.get("content-type") != "application/json":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    return None


# --- The interface: serves the page until the session is over

_TICK = 0.5
"""Seconds between checks, so that Ctrl-C is noticed."""
_PATIENCE = 30.0
"""Seconds for an orderly end of the session."""
_LAST_WORDS = 3.0
"""Seconds for an open page to fetch the final state."""


class BrowserInterface:
    """The person plays on the page; the terminal only shows its address."""

    def __init__(self, player: Player, settings: Settings) -> None:
        self._player, self._settings = player, settings

    def run(self) -> int:
        """Plays until nothing is left or the person leaves; returns the exit status."""
        try:
            server = PageServer(self._player, self._settings.player, self._settings.port)
        except OSError as error:
            print(f"--page-port {self._settings.port}: {error.strerror}", file=sys.stderr)
            return 2
        self._player.start()
        server.start()
        print(f"Play here: {server.url}\nTo leave: the page's Quit, or Ctrl-C.", flush=True)
        if self._settings.open_page and has_desktop(os.environ):
            webbrowser.open(server.url)
        try:
            view = self._wait()
        except (KeyboardInterrupt, EOFError):
            view = self._leave()
        server.wait_until_shown(_LAST_WORDS)
        server.stop()
        return _say_goodbye(view)

    def _leave(self) -> View:
        self._player.send(Leave(), 0)
        with suppress(KeyboardInterrupt):
            self._player.settled(_PATIENCE)
        return self._player.view

    def _wait(self) -> View:
        while not (view := self._player.view).phase.final:
            self._player.wait(view.version, _TICK)
        return view


def has_desktop(environment: Mapping[str, str]) -> bool:
    """Whether a browser would open in a window rather than in this terminal."""
    shown = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return bool(shown) or sys.platform in ("darwin", "win32")


def _say_goodbye(view: View) -> int:
    if view.phase is Phase.OVER:
        print("Everything is played. Thank you!")
    elif view.phase is Phase.LEFT:
        print("You left; the same command continues.")
    else:
        print(view.notice or "The service does not answer.", file=sys.stderr)
        return 1
    return 0
