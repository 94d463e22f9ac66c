import numpy as np
import pytest
from PIL import Image

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.asgard.recorded.episode import read_frame


@pytest.mark.parametrize(("size", "shown"), [(1024, 40), (40, 40), (20, 20)])
def test_a_picture_is_reduced_where_it_has_to_be_and_never_enlarged(size, shown, tmp_path):
    path = tmp_path / "frame.webp"
    Image.new("RGB", (40, 40), (200, 30, 10)).save(path, lossless=True)
    pixels = read_frame(path, size)
    assert (pixels.shape, pixels.dtype) == ((shown, shown, 3), np.uint8)
    assert pixels.flags.c_contiguous
    assert (pixels == (200, 30, 10)).all()


def test_equal_files_give_equal_pixels(tmp_path):
    noise = np.random.default_rng(3).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(tmp_path / "frame.webp")
    one, other = (read_frame(tmp_path / "frame.webp", 30) for _ in range(2))
    assert np.array_equal(one, other)


def test_a_picture_without_colours_gets_three_channels(tmp_path):
    Image.new("L", (8, 8), 77).save(tmp_path / "frame.png")
    assert read_frame(tmp_path / "frame.png", 8).shape == (8, 8, 3)


@pytest.mark.parametrize("content", [b"", b"no picture", b"RIFF\x10\x00\x00\x00WEBPVP8 "])
def test_what_is_no_picture_is_a_fault_of_the_data_that_names_it(content, tmp_path):
    (tmp_path / "frame.webp").write_bytes(content)
    with pytest.raises(WorldFault, match=r"frame\.webp") as caught:
        read_frame(tmp_path / "frame.webp", 512)
    assert caught.value.fault is FaultClass.DATA_FAULT


def test_a_picture_of_absurd_size_is_not_decoded(tmp_path):
    Image.new("RGB", (5000, 2)).save(tmp_path / "frame.webp")
    with pytest.raises(WorldFault, match="5000 x 2"):
        read_frame(tmp_path / "frame.webp", 512)
