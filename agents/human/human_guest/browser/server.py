"""The page's own small server, on this machine alone."""

from __future__ import annotations

import sys
import threading
import time
from http.server import ThreadingHTTPServer

from ..player import Player
from ..view import Picture, View
from .guard import new_secret
from .handler import POLL_SECONDS, Handler

LOOPBACK = "127.0.0.1"
_GLANCE = 0.05
"""Seconds between looks whether the server is to stop."""
_GONE = POLL_SECONDS + 5.0
"""Seconds after which a page that has not asked again is closed."""
_KEPT = 16
"""Pictures that a page may still ask for: those of the last few observations."""


class PageServer(ThreadingHTTPServer):
    """Serves one player's page. Its address holds a secret, which is new each time."""

    daemon_threads = True

    def __init__(self, player: Player, name: str, port: int) -> None:
        """``name`` is the person's, for the page; ``port`` 0 takes a free one. Raises OSError
        where the port is taken."""
        super().__init__((LOOPBACK, port), Handler)
        self.player, self.name = player, name
        self.secret = new_secret()
        self._kept: dict[str, Picture] = {}
        self._pages = threading.Condition()
        self._asked: dict[str, float] = {}
        self._last_told = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self.serve_forever, args=(_GLANCE,), name="page", daemon=True
        )

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.secret}/"

    def start(self) -> None:
        """Begins to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answers no more."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Reports a mistake of ours; a page that was closed while it waited is none."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type] # socketserver's

    def asks(self, page: str) -> None:
        """A page, by the name that it gave itself, waits for news."""
        now = time.monotonic()
        with self._pages:
            open_pages = {name: at for name, at in self._asked.items() if now - at < _GONE}
            self._asked = {**open_pages, page: now}

    def told(self, page: str, view: View) -> None:
        """It has got this view."""
        with self._pages:
            if view.phase.final:
                self._asked.pop(page, None)
                self._last_told = True
            self._pages.notify_all()

    def wait_until_told(self, seconds: float) -> None:
        """Returns when every page that is open has got the last view, and at least one has, or
        after so many seconds."""
        with self._pages:
            self._pages.wait_for(self._all_told, seconds)

    def _all_told(self) -> bool:
        now = time.monotonic()
        return self._last_told and all(now - at >= _GONE for at in self._asked.values())

    def picture(self, key: str) -> Picture | None:
        """A picture of the present view, or of one of the last before it."""
        scene = self.player.view.scene
        with self._lock:
            for picture in scene.pictures if scene else ():
                self._kept.pop(picture.key, None)
                self._kept[picture.key] = picture
            for old in list(self._kept)[:-_KEPT]:
                del self._kept[old]
            return self._kept.get(key)
