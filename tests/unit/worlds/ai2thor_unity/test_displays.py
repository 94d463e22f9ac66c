"""Which X display is taken, and why others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.worlds.ai2thor_unity.graphics import displays, xserver, xvfb
from env_service.worlds.ai2thor_unity.graphics.displays import Display, display_for, survey, unfit
from env_service.worlds.ai2thor_unity.graphics.xserver import DisplayName, Screen, XServer
from env_service.worlds.ai2thor_unity.settings import ThorSettings
from env_service.worlds.base import WorldUnavailableError

GOOD = XServer((Screen(1280, 1024, 24),), glx=True)
SMALL = XServer((Screen(640, 480, 24),), glx=True)
FLAT = XServer((Screen(1280, 1024, 24),), glx=False)
POOR = XServer((Screen(1280, 1024, 16),), glx=True)
GONE = XServer(fault="no server answers")
TWO = XServer((Screen(1280, 1024, 24), Screen(1280, 1024, 24)), glx=True)
PRIVATE = XServer((Screen(1280, 1024, 24),), glx=True, private=True)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, XServer]:
    """X servers by number; each that is put in has a socket too."""
    servers: dict[int, XServer] = {}

    class Sockets:
        def iterdir(self) -> list[Path]:
            return [tmp_path / f"X{number}" for number in servers] + [tmp_path / "lost+found"]

    monkeypatch.setattr(xserver, "SOCKETS", Sockets())
    monkeypatch.setattr(xvfb, "program", lambda: "")
    monkeypatch.setattr(xserver, "look", lambda name, *_: servers.get(name.number, GONE))
    monkeypatch.delenv("DISPLAY", raising=False)
    return servers


def test_a_display_that_is_there_is_taken(machine: dict[int, XServer]) -> None:
    machine[3] = GOOD

    display = display_for(ThorSettings(), 300, 300)

    assert (display.name, display.own) == (":3.0", False)
    display.stop()
    display.stop()


def test_the_variable_comes_first(machine: dict[int, XServer]) -> None:
    machine.update({1: GOOD, 5: GOOD})

    assert survey(ThorSettings(), 300, 300, {"DISPLAY": ":5"}).name == ":5.0"
    assert survey(ThorSettings(), 300, 300, {}).name == ":1.0"
    machine[5] = SMALL
    found = survey(ThorSettings(), 1024, 1024, {"DISPLAY": ":5"})
    assert found.name == ":1.0"
    assert "640x480" in found.tried[0]


def test_a_server_that_a_program_started_for_itself_is_left_alone(
    machine: dict[int, XServer],
) -> None:
    machine.update({1: PRIVATE, 2: GOOD})

    assert survey(ThorSettings(), 300, 300, {}).name == ":2.0"
    assert survey(ThorSettings(), 300, 300, {"DISPLAY": ":1"}).name == ":1.0"
    assert survey(ThorSettings(display=":1"), 300, 300, {}).name == ":1.0"


@pytest.mark.parametrize(
    ("server", "why"),
    [
        (GONE, "no server"),
        (SMALL, "640x480 pixels is too small for pictures of 1024x768"),
        (FLAT, "lacks the extension GLX"),
        (POOR, "16 bits, and need 24"),
    ],
)
def test_each_fault_of_a_chosen_display_is_named(
    machine: dict[int, XServer], server: XServer, why: str
) -> None:
    machine.update({4: server, 5: GOOD})

    with pytest.raises(WorldUnavailableError) as caught:
        display_for(ThorSettings(display=":4"), 1024, 768)

    assert "display :4.0: " in str(caught.value)
    assert why in str(caught.value)
    assert "HOUSEGUEST_THOR_DISPLAY" in str(caught.value)


def test_all_faults_of_a_display_are_named_together() -> None:
    bad = XServer((Screen(640, 480, 8),))
    why = unfit(DisplayName("", 0), bad, 800, 600)
    assert [word in why for word in ("GLX", "8 bits", "640x480")] == [True] * 3
    assert unfit(DisplayName("", 0, 0), GOOD, 1280, 1024) == ""


def test_a_name_that_is_none_is_refused(machine: dict[int, XServer]) -> None:
    with pytest.raises(WorldUnavailableError, match="'left' is not an X display"):
        display_for(ThorSettings(display="left"), 300, 300)


def test_a_gpu_chooses_its_screen(machine: dict[int, XServer]) -> None:
    machine[0] = TWO

    assert survey(ThorSettings(gpu=1), 300, 300, {}).name == ":0.1"
    assert survey(ThorSettings(gpu=1, display=":0.0"), 300, 300, {}).name == ":0.0"
    assert "no screen 2, only 2" in survey(ThorSettings(gpu=2), 300, 300, {}).fault
    machine[0] = GOOD
    assert survey(ThorSettings(gpu=1), 300, 300, {}).name == ":0.0"


def test_without_a_display_and_without_xvfb_the_fix_is_told(machine: dict[int, XServer]) -> None:
    with pytest.raises(WorldUnavailableError, match="apt-get install xvfb"):
        display_for(ThorSettings(), 300, 300)
    machine[2] = FLAT
    with pytest.raises(WorldUnavailableError, match=r"display :2\.0: it lacks"):
        display_for(ThorSettings(), 300, 300)


def test_an_xvfb_of_our_own_is_the_last_choice(
    machine: dict[int, XServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Server:
        name = DisplayName("", 9, 0)

        def __init__(self, width: int, height: int) -> None:
            started.append((width, height))
            machine[9] = PRIVATE

        def stop(self) -> None:
            started.clear()

    monkeypatch.setattr(xvfb, "program", lambda: "Xvfb")
    monkeypatch.setattr(displays, "Xvfb", Server)

    display = display_for(ThorSettings(), 1024, 1024)

    assert (display.name, display.own, started) == (":9.0", True, [(1024, 1024)])
    display.stop()
    assert started == []
    with pytest.raises(WorldUnavailableError, match="cannot be used: its screen of 1280x1024"):
        display_for(ThorSettings(), 2000, 2000)
    assert started == []


def test_a_display_without_a_server_of_ours_is_not_stopped() -> None:
    Display(":0.0").stop()
