import numpy as np
import pytest

from env_service.suites.asgard.hand_overlay import draw_hand

GRAY = 128


def scene(size, left, top, right, bottom):
    """A grey picture, and the mask of a box in it; edges in shares of its size."""
    pixels = np.full((size, size, 3), GRAY, np.uint8)
    mask = np.zeros((size, size), bool)
    edges = [round(edge * size) for edge in (left, top, right, bottom)]
    mask[edges[1] : edges[3], edges[0] : edges[2]] = True
    return pixels, mask


def mug(size=300):
    return scene(size, 0.36, 0.7, 0.64, 0.98)


def changed(before, after):
    return np.any(before != after, axis=2)


def span(marked):
    """The share of the picture's width where something is marked."""
    across = np.flatnonzero(marked.any(axis=0)) / marked.shape[1]
    return across[0], across[-1]


@pytest.mark.parametrize("size", [1024, 512, 300, 64])
def test_a_hand_appears_beside_and_before_what_is_held(size):
    pixels, mask = mug(size)
    marked = changed(pixels, draw_hand(pixels, mask, 0.6))
    left, right = span(marked)
    assert 0.36 < left < 0.64 < right < 0.98
    assert marked[mask].mean() < 0.3, "the object itself can still be seen"
    assert 0.02 < marked[~mask].mean() < 0.2
    assert not marked[: size // 2].any(), "it comes from below"


def test_the_picture_that_was_given_stays_as_it_is():
    pixels, mask = mug()
    drawn = draw_hand(pixels, mask, 1.0)
    assert (pixels == GRAY).all()
    assert drawn.dtype == np.uint8
    assert drawn.flags.c_contiguous


def test_equal_pictures_get_equal_hands():
    one, other = (draw_hand(*mug(), 0.6) for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("opacity", [0.1, 0.3, 0.6])
def test_opacity_is_how_much_of_the_hand_is_seen(opacity):
    pixels, mask = mug()
    full = draw_hand(pixels, mask, 1.0).astype(float) - GRAY
    some = draw_hand(pixels, mask, opacity).astype(float) - GRAY
    assert np.abs(some - full * opacity).max() <= 1


def test_without_opacity_there_is_no_hand():
    pixels, mask = mug()
    assert np.array_equal(draw_hand(pixels, mask, 0.0), pixels)


def test_what_is_not_in_the_picture_is_not_held_in_it():
    pixels, mask = mug()
    assert np.array_equal(draw_hand(pixels, np.zeros_like(mask), 1.0), pixels)


def test_the_hand_is_as_large_in_proportion_at_any_size():
    spans = [span(changed(mug(size)[0], draw_hand(*mug(size), 1.0))) for size in (300, 1024)]
    assert spans[0] == pytest.approx(spans[1], abs=0.02)


def test_a_larger_object_gets_a_larger_hand_within_limits():
    def area(size):
        pixels, mask = scene(400, 0.5 - size / 2, 0.5 - size / 2, 0.5 + size / 2, 0.5 + size / 2)
        drawn = draw_hand(pixels, mask, 1.0)
        left, right = span(changed(pixels, drawn)[: int(400 * (0.6 + size / 2))])
        return right - left

    assert area(0.01) == pytest.approx(area(0.05), abs=0.06)
    assert area(0.25) > 1.3 * area(0.05)


def test_at_the_right_border_a_left_hand_holds():
    pixels, mask = scene(300, 0.9, 0.6, 1.0, 0.8)
    left, right = span(changed(pixels, draw_hand(pixels, mask, 1.0)))
    assert left < 0.75
    assert right < 0.97


@pytest.mark.parametrize(
    "box",
    [
        *((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.01, 0.01), (0.99, 0.99, 1.0, 1.0)),
        *((0.0, 0.4, 0.1, 0.6), (0.0, 0.7, 1.0, 0.71), (0.4, 0.99, 0.6, 1.0)),
    ],
)
def test_an_object_that_the_border_cuts_is_held_all_the_same(box):
    pixels, mask = scene(300, *box)
    marked = changed(pixels, draw_hand(pixels, mask, 1.0))
    assert marked.mean() > 0.001


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (48, 64), (300, 200)])
def test_pictures_need_not_be_square(shape):
    pixels = np.full((*shape, 3), GRAY, np.uint8)
    assert draw_hand(pixels, np.ones(shape, bool), 0.6).shape == pixels.shape


def test_a_pan_is_held_by_its_handle():
    pixels, body = scene(400, 0.3, 0.6, 0.7, 0.75)
    _, handle = scene(400, 0.48, 0.75, 0.52, 0.95)
    left, _ = span(changed(pixels, draw_hand(pixels, body | handle, 1.0)))
    assert left < 0.5
