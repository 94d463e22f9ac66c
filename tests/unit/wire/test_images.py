"""Every encoding carries the same pixels."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from env_service.domain.observation import LOSSLESS, ImageEncoding
from env_service.wire.images import decode, encode


def picture(width: int, height: int, seed: int = 0) -> npt.NDArray[np.uint8]:
    generator = np.random.default_rng(seed)
    return generator.integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("encoding", LOSSLESS)
@given(width=st.integers(1, 40), height=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_colour_survives(encoding: ImageEncoding, width: int, height: int, seed: int) -> None:
    pixels = picture(width, height, seed)
    data = bytes(encode(pixels, encoding))
    assert np.array_equal(decode(data, encoding, width, height), pixels)


def test_depth_survives_to_the_last_bit() -> None:
    depth = np.random.default_rng(1).random((5, 7), dtype=np.float32) * 20
    data = bytes(encode(depth, ImageEncoding.RAW_F32))
    assert len(data) == 5 * 7 * 4
    assert np.array_equal(decode(data, ImageEncoding.RAW_F32, 7, 5), depth)


def test_raw_is_rows_of_interleaved_samples() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert bytes(encode(pixels, ImageEncoding.RAW)) == bytes(range(12))


def test_raw_is_a_view_not_a_copy() -> None:
    pixels = picture(4, 4)
    data = encode(pixels, ImageEncoding.RAW)
    pixels[0, 0, 0] ^= 255
    assert data[0] == pixels[0, 0, 0]


def test_pixels_that_are_not_contiguous_are_read_row_by_row() -> None:
    pixels = picture(6, 4)[:, ::2]
    data = bytes(encode(pixels, ImageEncoding.RAW))
    assert np.array_equal(decode(data, ImageEncoding.RAW, 3, 4), pixels)


@pytest.mark.parametrize(
    ("encoding", "kind"), [(ImageEncoding.PNG, "PNG"), (ImageEncoding.WEBP_LOSSLESS, "WEBP")]
)
def test_a_file_is_what_other_programs_read(encoding: ImageEncoding, kind: str) -> None:
    pixels = picture(9, 5)
    with Image.open(io.BytesIO(bytes(encode(pixels, encoding)))) as opened:
        assert opened.format == kind
        assert opened.size == (9, 5)
        assert np.array_equal(np.asarray(opened), pixels)


@pytest.mark.parametrize("encoding", LOSSLESS)
def test_equal_pixels_are_equal_bytes(encoding: ImageEncoding) -> None:
    assert bytes(encode(picture(8, 8), encoding)) == bytes(encode(picture(8, 8), encoding))


@pytest.mark.parametrize("encoding", LOSSLESS)
def test_depth_is_refused_where_colour_is_meant(encoding: ImageEncoding) -> None:
    with pytest.raises(ValueError, match=rf"{encoding.name} takes uint8 \[H, W, 3\]"):
        encode(np.zeros((4, 4), np.float32), encoding)


def test_colour_is_refused_where_depth_is_meant() -> None:
    with pytest.raises(ValueError, match=r"RAW_F32 takes float32 \[H, W\]"):
        encode(picture(4, 4), ImageEncoding.RAW_F32)


def test_an_empty_picture_is_refused() -> None:
    with pytest.raises(ValueError, match="RAW takes"):
        encode(np.zeros((0, 4, 3), np.uint8), ImageEncoding.RAW)


def test_jpeg_is_refused_both_ways() -> None:
    with pytest.raises(ValueError, match="JPEG is lossy"):
        encode(picture(4, 4), ImageEncoding.JPEG)
    with pytest.raises(ValueError, match="JPEG is lossy"):
        decode(b"", ImageEncoding.JPEG, 4, 4)


@pytest.mark.parametrize("encoding", [*LOSSLESS, ImageEncoding.RAW_F32])
def test_garbage_is_not_a_picture(encoding: ImageEncoding) -> None:
    with pytest.raises(ValueError, match=encoding.name):
        decode(b"garbage", encoding, 4, 4)


@pytest.mark.parametrize("encoding", [ImageEncoding.PNG, ImageEncoding.WEBP_LOSSLESS])
def test_a_picture_of_another_size_is_named(encoding: ImageEncoding) -> None:
    data = bytes(encode(picture(9, 5), encoding))
    with pytest.raises(ValueError, match="9×5, not 5×9"):
        decode(data, encoding, 5, 9)


def test_a_picture_of_few_colours_is_a_tiny_webp() -> None:
    colours = np.random.default_rng(0).integers(0, 256, (50, 3), dtype=np.uint8)
    grid = colours[np.arange(64).reshape(8, 8) % 50].repeat(32, axis=0).repeat(32, axis=1)
    assert len(encode(grid, ImageEncoding.WEBP_LOSSLESS)) < grid.nbytes / 200
