"""Pictures: as files, and as half blocks in a terminal."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from agents.human.human_guest.terminal.display import UPPER, can_draw, draw
from agents.human.human_guest.view import encode_png


def test_a_png_holds_the_same_pixels() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    read = Image.open(io.BytesIO(encode_png(pixels.tobytes(), 7, 5)))
    assert np.array_equal(np.asarray(read), pixels)


def test_pixels_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="take 105 bytes"):
        encode_png(b"123", 7, 5)


def test_two_rows_of_pixels_make_one_of_blocks() -> None:
    rgb = bytes([255, 0, 0] * 2 + [0, 0, 255] * 2)
    (line,) = draw(rgb, (2, 2), columns=2, rows=1)
    assert line.count(UPPER) == 2
    assert line.startswith("\x1b[38;2;255;0;0;48;2;0;0;255m")
    assert line.endswith("\x1b[0m")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (30, 90), (1, 1)])
def test_a_picture_stays_in_its_room(columns: int, rows: int) -> None:
    lines = draw(bytes(3 * 64 * 48), (64, 48), columns, rows)
    assert 1 <= len(lines) <= rows
    assert max(line.count(UPPER) for line in lines) <= columns


@pytest.mark.parametrize(
    ("environment", "is_terminal", "drawn"),
    [
        ({"COLORTERM": "truecolor"}, True, True),
        ({"COLORTERM": "truecolor"}, False, False),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm"}, True, False),
    ],
)
def test_only_a_terminal_with_all_colours_gets_blocks(
    environment: dict[str, str], is_terminal: bool, drawn: bool
) -> None:
    assert can_draw(environment, is_terminal=is_terminal) is drawn
