"""Contact sheets."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.contact_sheets import (
    CAPTION,
    MARGIN,
    PAPER,
    TITLE,
    Panel,
    sheet,
)


def panels(count: int, side: int = 20) -> list[Panel]:
    return [Panel(f"no {k}", np.full((side, side, 3), 10 * k, np.uint8)) for k in range(count)]


def test_pictures_stand_in_rows_in_their_order() -> None:
    page = np.asarray(sheet("title", panels(5), 3))
    for number in range(5):
        x = MARGIN + number % 3 * (20 + MARGIN)
        y = TITLE + number // 3 * (20 + CAPTION + MARGIN)
        assert (page[y : y + 20, x : x + 20] == 10 * number).all()


def test_a_sheet_is_as_wide_as_its_pictures() -> None:
    few, many = sheet("title", panels(2), 6), sheet("title", panels(7), 6)
    assert few.width == MARGIN + 2 * (20 + MARGIN)
    assert many.width == MARGIN + 6 * (20 + MARGIN)
    assert many.height - few.height == 20 + CAPTION + MARGIN


def test_title_and_captions_are_written() -> None:
    page = np.asarray(sheet("title", panels(1, 80), 1))
    below = page[TITLE + 80 : TITLE + 80 + CAPTION]
    for text in (page[:TITLE], below):
        assert (text != np.array(PAPER)).any()


def test_a_sheet_without_pictures_is_refused() -> None:
    with pytest.raises(ValueError, match="the contact sheet 'empty' has no panels"):
        sheet("empty", [], 3)
