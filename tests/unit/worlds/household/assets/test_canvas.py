"""The drawing board."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets.painted_textures import SEGMENTS, Canvas

BLACK = (0.0, 0.0, 0.0)
WHITE = (1.0, 1.0, 1.0)


def painted(board: Canvas) -> np.ndarray:
    return board.texture().pixels[..., 0] < 128


def test_a_rectangle_covers_its_area_and_nothing_else() -> None:
    board = painted(Canvas(WHITE, 64).rect((0.25, 0.5, 0.75, 1.0), BLACK))
    assert board[32:, 16:48].all()
    assert board.sum() == 32 * 32


def test_a_disc_has_its_area() -> None:
    share = painted(Canvas(WHITE, 128).disc(0.5, 0.5, 0.3, BLACK)).mean()
    assert share == pytest.approx(np.pi * 0.09, rel=0.03)


def test_a_ring_leaves_its_middle() -> None:
    board = painted(Canvas(WHITE, 64).disc(0.5, 0.5, 0.4, BLACK, inner=0.2))
    assert not board[32, 32]
    assert board[32, 32 + 19]


def test_strokes_are_cut_at_the_edge() -> None:
    board = painted(Canvas(WHITE, 64).line((-1.0, 0.5), (2.0, 0.5), 0.1, BLACK))
    assert board[32].all()
    assert not board[0].any()
    assert not painted(Canvas(WHITE, 64).rect((1.5, 1.5, 1.8, 1.8), BLACK)).any()


def test_a_hand_points_clockwise_from_the_top() -> None:
    board = painted(Canvas(WHITE, 64).hand(90.0, (0.2, 0.4), 0.06, BLACK))
    rows, columns = np.nonzero(board)
    assert columns.min() > 40
    assert abs(rows.mean() - 31.5) < 1


def test_every_digit_looks_different() -> None:
    shapes = {
        Canvas(WHITE, 32).digits(digit, (0.3, 0.1), (0.4, 0.8), BLACK).texture().key
        for digit in SEGMENTS
    }
    assert len(shapes) == 10


def test_a_mask_blends() -> None:
    board = Canvas(WHITE, 8).mask(np.full((8, 8), 0.25), BLACK)
    assert board.pixels.mean() == pytest.approx(0.75)


def test_a_canvas_may_be_oblong() -> None:
    assert Canvas(WHITE, 128, 64).texture().pixels.shape == (64, 128, 3)
