"""What is said of a player's first picture."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.doctor.finding import State
from env_service.doctor.thor_start import HEIGHT, WIDTH, picture


def frame(level: int = 0, *, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def test_a_picture_of_something_is_well() -> None:
    room = frame(90)
    room[100:] = 160

    assert picture(room).state is State.OK
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

    assert finding.state is State.PROBLEM
    assert words in finding.found
    assert finding.mend
