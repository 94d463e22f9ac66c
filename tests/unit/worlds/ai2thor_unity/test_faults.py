"""What an operator is told of a player that broke."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_unity import faults
from env_service.worlds.ai2thor_unity.graphics.xserver import XServer
from env_service.worlds.ai2thor_unity.launch import NOT_STARTED
from env_service.worlds.ai2thor_unity.player import (
    Attempt,
    GoneError,
    LateError,
    NonsenseError,
    TransportError,
)
from env_service.worlds.ai2thor_unity.settings import Platform

OPEN = Attempt("step", 60.0, {"action": "OpenObject", "objectId": "Blinds|+01.00|+02.00|+00.00"})
START = Attempt("start", 300.0, {})


class Ended:
    """A process by its exit status, None while it lives, and what it printed."""

    pid = 4711

    def __init__(self, status: int | None, words: str = "") -> None:
        self._status, self._words = status, words

    def status(self) -> int | None:
        return self._status

    def wait(self, _seconds: float) -> bool:
        return self._status is not None

    def last_words(self, _most: int) -> str:
        return self._words


def told(
    error: TransportError,
    during: Attempt,
    process: Ended,
    platform: Platform = Platform.CLOUD_RENDERING,
    *,
    display: str = "",
    home: Path = Path("/nowhere"),
) -> WorldFault:
    error.during = during
    player: Any = process
    return faults.fault_of(error, player, platform, home=home, display=display)


def test_a_hang_names_the_deadline_and_known_traps() -> None:
    fault = told(LateError(), OPEN, Ended(None))
    assert fault.fault is FaultClass.SIMULATOR_HANG
    assert "process 4711, CloudRendering" in fault.detail
    assert "within 60 s, the deadline of a step" in fault.detail
    assert "blinds" in fault.detail


@pytest.mark.parametrize(
    ("platform", "library"), [(Platform.CLOUD_RENDERING, "Vulkan"), (Platform.LINUX64, "OpenGL")]
)
def test_a_crash_at_the_start_points_at_the_graphics(platform: Platform, library: str) -> None:
    fault = told(GoneError(), START, Ended(-signal.SIGSEGV), platform)
    assert fault.fault is FaultClass.SIMULATOR_CRASH
    assert "was killed by SIGSEGV before its first message" in fault.detail
    assert f"{library} does not work: run houseguest doctor" in fault.detail
    by_a_shell = told(GoneError(), START, Ended(139), platform)
    assert "exit status 139, a shell's for SIGSEGV before its first message" in by_a_shell.detail
    assert f"{library} does not work: run houseguest doctor" in by_a_shell.detail
    other = told(GoneError(), START, Ended(255), platform)
    assert "exit status 255 before its first message" in other.detail
    assert "run houseguest doctor" in other.detail
    later = told(GoneError(), OPEN, Ended(-signal.SIGSEGV), platform)
    assert library not in later.detail


def test_a_start_that_takes_too_long_says_how_to_allow_it() -> None:
    assert "HOUSEGUEST_THOR_START_SECONDS" in told(LateError(), START, Ended(None)).detail


def test_other_ends() -> None:
    assert "was killed by signal 40" in told(GoneError(), OPEN, Ended(-40)).detail
    assert "dmesg" in told(GoneError(), OPEN, Ended(-signal.SIGKILL)).detail
    assert "could not be run" in told(GoneError(), START, Ended(NOT_STARTED)).detail
    assert "closed its pipes, but lives" in told(GoneError(), OPEN, Ended(None)).detail
    half = told(GoneError("in the middle of an answer"), OPEN, Ended(0))
    assert "ended with exit status 0" in half.detail
    assert "in the middle of an answer" in half.detail


def test_nonsense_is_named() -> None:
    first = told(NonsenseError("a message without metadata"), START, Ended(None))
    assert "began with a message without metadata" in first.detail
    fault = told(NonsenseError("a field of the unknown type 77"), OPEN, Ended(None))
    assert fault.fault is FaultClass.SIMULATOR_CRASH
    assert "with a field of the unknown type 77" in fault.detail


def test_long_actions_and_logs_stay_short() -> None:
    house = Attempt("reset", 9.0, {"action": "CreateHouse", "house": "x" * 10_000})
    words = "\n".join(f"line {number}" for number in range(100))
    fault = told(LateError(), house, Ended(None, words))
    assert len(fault.detail) < 1000
    assert "line 92 | line 93" in fault.detail
    assert fault.detail.endswith("line 99")
    assert "\n" not in fault.detail


def test_unitys_own_log_is_named_if_it_is_there(tmp_path: Path) -> None:
    assert "Player.log" not in told(GoneError(), OPEN, Ended(1), home=tmp_path).detail
    log = tmp_path / faults.UNITY_LOG
    log.parent.mkdir(parents=True)
    log.touch()
    assert str(log) in told(GoneError(), OPEN, Ended(1), home=tmp_path).detail


def test_a_home_that_may_not_be_looked_into_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", closed)
    assert "exit status 1" in told(GoneError(), OPEN, Ended(1), home=Path("/secret")).detail


def test_a_display_that_died_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {"fault": "no server answers"}
    monkeypatch.setattr(faults.xserver, "look", lambda *_, **__: XServer(fault=seen["fault"]))
    fault = told(GoneError(), OPEN, Ended(1), Platform.LINUX64, display=":7.0")
    assert "Its X display :7.0 no longer works: no server answers" in fault.detail
    seen["fault"] = ""
    fault = told(GoneError(), OPEN, Ended(1), Platform.LINUX64, display=":7.0")
    assert "display" not in fault.detail
