"""Starts the person's session with the chosen interface."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from houseguest_agent import (
    Channel,
    Client,
    ImageEncoding,
    ImageRequest,
    ObservationRequest,
    Options,
)

from .browser.server import BrowserInterface
from .player import Player
from .settings import Settings, read_settings
from .terminal.interface import TerminalInterface

HANGING_UP = (signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Plays until nothing is left or the person leaves; returns the exit status.

    0: everything was played, or the person left. 1: the service could not be reached, or ended the
    session. 2: the command line is wrong.
    """
    settings = read_settings()
    # Show the library's warnings as plain lines.
    logging.basicConfig(level=logging.WARNING, format="(%(message)s)")
    for sign in HANGING_UP:
        signal.signal(sign, _hang_up)
    stay_with_parent()
    player = Player(lambda: connect(settings))
    return _interface(settings, player).run()


def _interface(settings: Settings, player: Player) -> BrowserInterface | TerminalInterface:
    if settings.browser:
        return BrowserInterface(player, settings)
    return TerminalInterface(player, pictures=settings.pictures)


def _hang_up(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Ends the session when the terminal or the service closes, as if the person had left."""
    for sign in HANGING_UP:
        signal.signal(sign, signal.SIG_IGN)
    raise EOFError


# --- An agent without its service, where the person's input would be lost

_LOOK_SECONDS = 1.0


def stay_with_parent() -> None:
    """Ends this process when its parent process has ended, for whatever reason.

    A person who waits at a prompt sends nothing and would not notice; the shell would get its
    terminal back while this process still reads from it.
    """
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    print("\nThe service has ended. Finished episodes are kept.", file=sys.stderr, flush=True)
    os._exit(1)


# --- Takes the session with the richest observation that the run's condition offers

NAME, VERSION = "human", "1.0"
_ENCODINGS = (
    *(ImageEncoding.RAW, ImageEncoding.PNG),
    *(ImageEncoding.WEBP_LOSSLESS, ImageEncoding.JPEG),
)


def observation_requests() -> Iterator[ObservationRequest]:
    """The observation requests to try, the richest first: the service refuses what its condition
    lacks.

    The last one accepts whatever there is.
    """
    for previous, text in ((True, True), (True, False), (False, True), (False, False)):
        image = ImageRequest(Channel.RGB, _ENCODINGS, previous_frame=previous)
        yield ObservationRequest((image,), text=text)
    yield ObservationRequest()


def connect(settings: Settings) -> Client:
    """A connected client. Raises what Client.connect raises."""
    options = Options(observation=tuple(observation_requests()))
    client = Client(NAME, VERSION, configuration=settings.configuration(), options=options)
    client.connect()
    return client
