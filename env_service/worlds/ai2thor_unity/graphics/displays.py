"""The X display that AI2-THOR's player draws on: an existing one, or an Xvfb that this starts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from env_service.worlds.ai2thor_unity.graphics import xserver, xvfb
from env_service.worlds.ai2thor_unity.graphics.xserver import DEPTH, DisplayName, XServer
from env_service.worlds.ai2thor_unity.graphics.xvfb import Xvfb
from env_service.worlds.ai2thor_unity.settings import ThorSettings
from env_service.worlds.base import WorldUnavailableError

VARIABLE = "DISPLAY"
_GLANCE = 2.0
"""Seconds for a server that the user did not name."""
_CHOOSE = (
    "Correct it, or leave HOUSEGUEST_THOR_DISPLAY empty to use a suitable display or start an Xvfb."
)
_START = (
    "Install Xvfb (Debian: apt-get install xvfb), or start an X server with GLX,"
    f" {DEPTH} bits and a large enough screen and set HOUSEGUEST_THOR_DISPLAY to it."
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to draw on.

    ``name`` is a suitable display, as ":0.1", "" if there is none. ``xvfb`` is the path of Xvfb,
    "" if it is not installed, or may not be used because a display was chosen. ``tried`` says of
    each display that was looked at, and is not suitable, why; ``chosen`` whether it was chosen.
    """

    name: str = ""
    xvfb: str = ""
    tried: tuple[str, ...] = ()
    chosen: bool = False

    @property
    def fault(self) -> str:
        """Why nothing can be drawn on, and how to mend it; "" where something can."""
        if self.name or self.xvfb:
            return ""
        why = "; ".join(self.tried) or "no X display and no Xvfb"
        return f"{why}. {_CHOOSE if self.chosen else _START}"


class Display:
    """An X display to draw on."""

    def __init__(self, name: str, server: Xvfb | None = None) -> None:
        """``server`` is one that was started for it, which `stop` ends."""
        self._name = name
        self._server = server

    @property
    def name(self) -> str:
        """With its screen, as ":7.0"."""
        return self._name

    @property
    def own(self) -> bool:
        """Whether its server was started for it."""
        return self._server is not None

    def stop(self) -> None:
        """Ends a server that was started for it; a second call does nothing."""
        if self._server is not None:
            self._server.stop()


def display_for(settings: ThorSettings, width: int, height: int) -> Display:
    """A display for pictures of ``width`` x ``height`` pixels.

    The settings' own is taken, or refused; else $DISPLAY or another one of this machine, if it is
    suitable; else an Xvfb is started. Of a server with a screen for each GPU, the settings' GPU
    chooses. `stop` it after use.

    Raises:
        WorldUnavailableError: there is none; with what was tried, and how to mend it.
    """
    found = survey(settings, width, height)
    if found.fault:
        raise WorldUnavailableError(found.fault)
    if found.name:
        return Display(found.name)
    server = Xvfb(width, height)
    seen = xserver.look(server.name)
    if why := unfit(server.name, seen, width, height):
        server.stop()
        raise WorldUnavailableError(
            f"the Xvfb that was started for it cannot be used: {why}. Start an X server"
            " yourself, and set HOUSEGUEST_THOR_DISPLAY to it."
        )
    return Display(str(server.name), server)


def survey(
    settings: ThorSettings, width: int, height: int, environment: Mapping[str, str] = os.environ
) -> Survey:
    """What `display_for` would take. Starts nothing."""
    if settings.display:
        seen = _look(settings.display, settings.gpu, environment, xserver.PATIENCE)
        why = seen.unfit(width, height)
        if why:
            return Survey(tried=(f"display {seen.name}: {why}",), chosen=True)
        return Survey(seen.name, chosen=True)
    tried: list[str] = []
    for text in _there(environment):
        seen = _look(text, settings.gpu, environment, _GLANCE)
        if seen.server.private and text != environment.get(VARIABLE):
            continue
        why = seen.unfit(width, height)
        if not why:
            return Survey(seen.name, xvfb.program(), tuple(tried))
        tried.append(f"display {seen.name}: {why}")
    return Survey(xvfb=xvfb.program(), tried=tuple(tried))


def unfit(name: DisplayName, server: XServer, width: int, height: int) -> str:
    """Why a display is of no use for pictures of a size; "" if it is."""
    if server.fault:
        return server.fault
    number = name.screen or 0
    if number >= len(server.screens):
        return f"it has no screen {number}, only {len(server.screens)}, counted from 0"
    screen = server.screens[number]
    faults = []
    if not server.glx:
        faults.append("it lacks the extension GLX (start it with +extension GLX)")
    if screen.depth != DEPTH:
        faults.append(f"its colours have {screen.depth} bits, and need {DEPTH}")
    if screen.width < width or screen.height < height:
        faults.append(
            f"its screen of {screen.width}x{screen.height} pixels is too small for pictures"
            f" of {width}x{height}"
        )
    return " and ".join(faults)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A display that was looked at; its name is whole if it makes sense."""

    name: str
    server: XServer

    def unfit(self, width: int, height: int) -> str:
        if self.server.fault:
            return self.server.fault
        return unfit(DisplayName.parse(self.name), self.server, width, height)


def _look(text: str, gpu: int | None, environment: Mapping[str, str], seconds: float) -> _Seen:
    try:
        name = DisplayName.parse(text)
    except ValueError as error:
        return _Seen(text, XServer(fault=str(error)))
    server = xserver.look(name, environment, seconds)
    if name.screen is None and gpu is not None and len(server.screens) > 1:
        name = DisplayName(name.host, name.number, gpu)
    return _Seen(str(name), server)


def _there(environment: Mapping[str, str]) -> Iterator[str]:
    """The displays to try, in order."""
    first = environment.get(VARIABLE, "")
    if first:
        yield first
    numbers = []
    with suppress(OSError):
        for path in xserver.SOCKETS.iterdir():
            with suppress(ValueError):
                numbers.append(int(path.name.removeprefix("X")))
    yield from (f":{number}" for number in sorted(numbers) if f":{number}" != first.split(".")[0])
