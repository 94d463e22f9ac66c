"""The PNG writer: files that other programs accept, as small as zlib's fastest."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from env_service.wire.images import encode_png


def room(height: int, width: int) -> npt.NDArray[np.uint8]:
    """Lit surfaces with a little grain."""
    generator = np.random.default_rng(0)
    surfaces = generator.integers(30, 200, (8, 8, 3))
    picture = surfaces.repeat(height // 8, axis=0).repeat(width // 8, axis=1)
    picture = picture + np.linspace(0, 40, width, dtype=np.int64)[None, :, None]
    return (picture + generator.integers(-1, 2, picture.shape)).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 50), (50, 1), (3, 2)])
def test_pictures_of_any_shape_come_back(height: int, width: int) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)

    with Image.open(io.BytesIO(encode_png(pixels))) as opened:
        assert np.array_equal(np.asarray(opened), pixels)


def test_every_checksum_in_the_file_is_right() -> None:
    with Image.open(io.BytesIO(encode_png(room(64, 64)))) as opened:
        opened.verify()


def test_noise_is_not_blown_up() -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (256, 256, 3), dtype=np.uint8)
    assert len(encode_png(pixels)) < 1.01 * pixels.nbytes


def test_a_rendered_picture_is_about_as_small_as_pillow_makes_it() -> None:
    pixels, file = room(256, 256), io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    assert len(encode_png(pixels)) < 1.1 * len(file.getvalue())
