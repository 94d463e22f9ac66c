"""Starts the person's seat with the face that was asked for."""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import NoReturn

from .browser.face import BrowserFace
from .connecting import connect
from .parent import stay_with_parent
from .player import Player
from .settings import Settings, read_settings
from .terminal.face import TerminalFace

HANGING_UP = (signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Plays until nothing is left or the person leaves; the exit status.

    0: all was played, or the person left. 1: the house could not be reached, or ended the
    session. 2: the command line is wrong.
    """
    settings = read_settings()
    # The library's warnings are for people: one plain line each.
    logging.basicConfig(level=logging.WARNING, format="(%(message)s)")
    for sign in HANGING_UP:
        signal.signal(sign, _hang_up)
    stay_with_parent()
    player = Player(lambda: connect(settings))
    return _face(settings, player).run()


def _face(settings: Settings, player: Player) -> BrowserFace | TerminalFace:
    if settings.browser:
        return BrowserFace(player, settings)
    return TerminalFace(player, pictures=settings.pictures)


def _hang_up(_signal: int, _frame: FrameType | None) -> NoReturn:
    """The terminal or the house is closing: like a person who leaves."""
    for sign in HANGING_UP:
        signal.signal(sign, signal.SIG_IGN)
    raise EOFError
