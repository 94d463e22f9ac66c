"""Plays in a browser: serves the page until the session is over."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping
from contextlib import suppress

from ..player import Leave, Player
from ..settings import Settings
from ..view import Phase, View
from .server import PageServer

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
