"""The messages for an operator about a player that broke."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_unity.graphics import xserver
from env_service.worlds.ai2thor_unity.launch import NOT_STARTED
from env_service.worlds.ai2thor_unity.player import (
    Attempt,
    LateError,
    NonsenseError,
    PlayerProcess,
    TransportError,
)
from env_service.worlds.ai2thor_unity.settings import PREFIX, Platform

UNITY_LOG = Path(".config/unity3d/Allen Institute for Artificial Intelligence/AI2-THOR/Player.log")
"""Unity's log, relative to the player's home folder (docs/ai2thor.md, "Player lifetime and
deadlines")."""

_SHELL = 128
"""What a shell adds to the number of the signal that ended what it ran."""
_DEATH = 0.25
"""Seconds that a player whose pipe closed may take to die of it: with its exit status we know
more."""
_WORDS, _LINES, _ACTION = 2000, 8, 160
"""How much of the log and of an action a message contains: bytes, lines, characters."""
_GLANCE = 0.3
"""Seconds for an X server to answer."""


def fault_of(
    error: TransportError, process: PlayerProcess, platform: Platform, *, home: Path, display: str
) -> WorldFault:
    """The fault for an error of the dialogue, in words that show an operator what happened and
    where to look. Call it before the process is ended.

    ``home`` is the player's home folder, ``display`` its X display, "" for none.
    """
    during = error.during or Attempt("step", 0.0, {})
    late = isinstance(error, LateError)
    player = f"AI2-THOR's player (process {process.pid}, {platform.value})"
    parts = [
        f"{player} {_what(error, during, process)}",
        _advice(process.status(), during, platform, late=late),
        _of_display(display),
        _last_words(process, home),
    ]
    return WorldFault(
        FaultClass.SIMULATOR_HANG if late else FaultClass.SIMULATOR_CRASH,
        ". ".join(part for part in parts if part),
    )


def describe(status: int) -> str:
    """An exit status in words."""
    if status < 0:
        return f"was killed by {_name(-status)}"
    if _by_signal(status):
        return f"ended with exit status {status}, a shell's for {_name(-_by_signal(status))}"
    return f"ended with exit status {status}"


def _by_signal(status: int | None) -> int:
    """Minus the signal that ended a player, or what a shell started as one; 0 for none."""
    if status is None:
        return 0
    if status > _SHELL and status - _SHELL in set(signal.Signals):
        return _SHELL - status
    return min(status, 0)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _what(error: TransportError, during: Attempt, process: PlayerProcess) -> str:
    asked = _shortened(during.action) if during.action else ""
    more = f" ({error})" if str(error) else ""
    if isinstance(error, LateError):
        missing = f"did not answer {asked}" if asked else "sent no first message"
        return f"{missing} within {during.seconds:g} s, the deadline of a {during.call}{more}"
    if isinstance(error, NonsenseError):
        return f"answered {asked} with {error}" if asked else f"began with {error}"
    end = "closed its pipes, but lives,"
    if process.wait(_DEATH):
        end = describe(process.status() or 0)
    due = f"while it was to answer {asked}" if asked else "before its first message"
    return f"{end} {due}{more}"


def _shortened(action: Mapping[str, Any]) -> str:
    text = json.dumps(dict(action), default=str)
    return text if len(text) <= _ACTION else text[: _ACTION - 3] + "..."


def _advice(status: int | None, during: Attempt, platform: Platform, *, late: bool) -> str:
    starting, by = during.call == "start", _by_signal(status)
    if status == NOT_STARTED and starting:
        return "Its command could not be run"
    if starting and by in (-signal.SIGSEGV, -signal.SIGABRT):
        if platform is Platform.CLOUD_RENDERING:
            return "This happens if Vulkan does not work: run houseguest doctor"
        return "This happens if OpenGL does not work: run houseguest doctor"
    if by == -signal.SIGKILL:
        return "The kernel kills processes this way if memory runs out: see dmesg"
    if starting and status is not None and platform is not Platform.EXECUTABLE:
        return "To see what it lacks on this machine, run houseguest doctor"
    if starting and late:
        return f"If it is only slow, raise {PREFIX}START_SECONDS"
    if late and "Blinds" in str(during.action.get("objectId", "")):
        return "AI2-THOR 5.0.0 is known to hang when blinds are opened or closed"
    return ""


def _of_display(display: str) -> str:
    if not display:
        return ""
    try:
        seen = xserver.look(xserver.DisplayName.parse(display), seconds=_GLANCE)
    except ValueError:
        return ""
    return f"Its X display {display} no longer works: {seen.fault}" if seen.fault else ""


def _last_words(process: PlayerProcess, home: Path) -> str:
    lines = [line.strip() for line in process.last_words(_WORDS).splitlines() if line.strip()]
    printed = f"It printed last: {' | '.join(lines[-_LINES:])}" if lines else "It printed nothing"
    own = home / UNITY_LOG
    with suppress(OSError):  # its folder may be somebody else's
        return f"{printed}; Unity's own log: {own}" if own.exists() else printed
    return printed
