"""What is said of a player's start, and of its first picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from env_service.doctor.diagnosis import DiagnosisState, DoctorRequest
from env_service.domain.failure import FaultClass, WorldFault
from env_service.worlds.ai2thor_unity import doctor
from env_service.worlds.ai2thor_unity.doctor import HEIGHT, WIDTH, picture
from env_service.worlds.base import WorldUnavailableError

REFUSED = "\nScene 'Castle' not contained in build.\nPlease choose one of:\n\nFloorPlan1"


def frame(level: int = 0, *, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def test_a_picture_of_something_is_well() -> None:
    room = frame(90)
    room[100:] = 160

    assert picture(room).state is DiagnosisState.OK
    assert "400x300 pixels, mean brightness 137" in picture(room).found


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (None, "sent none"),
        (frame(), "all of them black"),
        (frame(3), "all of them black"),
        (frame(200), "all of one colour"),
        (frame(200, width=HEIGHT, height=WIDTH), "300x400 pixels, and 400x300 were asked for"),
    ],
)
def test_other_pictures_are_problems(shown: np.ndarray | None, words: str) -> None:
    finding = picture(shown)

    assert finding.state is DiagnosisState.PROBLEM
    assert words in finding.found
    assert finding.mend


@pytest.mark.parametrize(
    ("error", "found", "mend"),
    [
        (WorldUnavailableError("Tried:\n  Linux64: no build"), "not tried", "See world ai2thor"),
        (WorldUnavailableError("it has no display. Start one."), "it has no display", "Start one."),
        (WorldFault(FaultClass.SIMULATOR_CRASH, "it ended"), "it ended", "docs/ai2thor.md"),
        (ValueError(REFUSED), "Scene 'Castle' not contained in build.", "houseguest scenes list"),
    ],
)
def test_what_keeps_it_from_starting_is_told_in_short(
    monkeypatch: pytest.MonkeyPatch, error: Exception, found: str, mend: str
) -> None:
    def played(_scene: str) -> None:
        raise error

    monkeypatch.setattr(doctor, "_played", played)
    (finding,) = doctor.start(DoctorRequest(Path("runs"), world="ai2thor", start=True))

    assert finding.state is DiagnosisState.PROBLEM
    assert found in finding.found
    assert "FloorPlan1" not in finding.found
    assert mend in finding.mend
