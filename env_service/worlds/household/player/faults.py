"""Faults on request, for tests of code that supervises a player.

The environment variable HOUSEGUEST_PLAYER_FAULTS holds JSON:

    {"start": "exit", "start_seconds": 0.5,
     "on": [{"action": "PickupObject", "nth": 2, "do": "signal", "number": 9}]}

`start` is one of START; each entry of `on` is about the nth time (from 1) that an action comes,
"*" being any. `do` is one of FaultAction's values, and takes effect instead of or during the
answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

VARIABLE = "HOUSEGUEST_PLAYER_FAULTS"


class Start(Enum):
    """How a start goes wrong."""

    FINE = "fine"
    EXIT = "exit"  # before the pipes open
    HANG = "hang"  # before the pipes open
    EXIT_AFTER_OPEN = "exit after open"
    HANG_AFTER_OPEN = "hang after open"


class FaultAction(Enum):
    """How an answer goes wrong."""

    EXIT = "exit"  # with status "number", without an answer
    SIGNAL = "signal"  # killed by signal "number", without an answer
    HANG = "hang"  # no answer, for ever
    SLOW = "slow"  # the right answer after "seconds"
    HALF = "half"  # half of the answer, then exit
    GARBAGE = "garbage"  # a field of an unknown type
    WRONG_SEQUENCE = "wrong sequence"  # an answer to another action
    DIE_AFTER = "die after"  # the right answer, then exit before the next action
    CLOSE = "close"  # closes its pipes and stays alive
    NO_FRAME = "no frame"  # metadata without pictures


@dataclass(frozen=True)
class Fault:
    """One fault: its effect, the action that triggers it, and at which occurrence of that
    action."""

    effect: FaultAction
    action: str = "*"
    nth: int = 1
    number: int = 1
    seconds: float = 1.0


@dataclass
class Faults:
    """All faults of one player process.

    Attributes:
        start: how the start goes.
        start_seconds: wait before the first message.
        channels: 3 or 4 bytes per pixel in colour pictures; the real player sends 4.
        deaf: ignores SIGTERM.
        on: faults while actions are answered.
    """

    start: Start = Start.FINE
    start_seconds: float = 0.0
    channels: int = 4
    deaf: bool = False
    on: tuple[Fault, ...] = ()
    _seen: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> Faults:
        """Reads the variable.

        Raises:
            ValueError: it is malformed (see the module's docstring); the message names the key.
        """
        text = environment.get(VARIABLE, "")
        if not text:
            return Faults()
        try:
            value = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{VARIABLE} is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise ValueError(f"{VARIABLE} is a JSON object, not {type(value).__name__}")
        unknown = set(value) - {"start", "start_seconds", "channels", "deaf", "on"}
        if unknown:
            raise ValueError(f"{VARIABLE} has unknown keys: {', '.join(sorted(unknown))}")
        channels = value.get("channels", 4)
        if channels not in (3, 4):
            raise ValueError(f"{VARIABLE}: channels is 3 or 4, not {channels!r}")
        return Faults(
            start=_one_of(Start, value.get("start", "fine"), "start"),
            start_seconds=float(value.get("start_seconds", 0.0)),
            channels=channels,
            deaf=bool(value.get("deaf", False)),
            on=tuple(_fault(entry) for entry in value.get("on", [])),
        )

    def next(self, action: str) -> Fault | None:
        """Counts an action and returns the fault to apply to it, if any."""
        for name in (action, "*"):
            self._seen[name] = self._seen.get(name, 0) + 1
        for fault in self.on:
            if fault.action in (action, "*") and self._seen[fault.action] == fault.nth:
                return fault
        return None


def _fault(entry: Any) -> Fault:
    if not isinstance(entry, dict) or "do" not in entry:
        raise ValueError(f'{VARIABLE}: an entry of "on" needs a "do": {entry!r}')
    effect = _one_of(FaultAction, entry["do"], "do")
    return Fault(
        effect,
        str(entry.get("action", "*")),
        int(entry.get("nth", 1)),
        int(entry.get("number", 1)),
        float(entry.get("seconds", 1.0)),
    )


def _one_of(kind: type[Any], word: Any, key: str) -> Any:
    try:
        return kind(word)
    except ValueError:
        known = ", ".join(repr(member.value) for member in kind)
        raise ValueError(f"{VARIABLE}: {key} is one of {known}, not {word!r}") from None


def hang() -> None:
    """Sleeps forever."""
    while True:
        time.sleep(3600)


def die(fault: Fault) -> None:
    """Ends the process at once, in the fault's way and without clean-up."""
    sys.stderr.flush()
    if fault.effect is FaultAction.SIGNAL:
        if fault.number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(fault.number, signal.SIG_DFL)
        os.kill(os.getpid(), fault.number)
        hang()
    os._exit(fault.number)
