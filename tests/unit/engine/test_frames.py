"""Pictures through a shared page: byte for byte, and only once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256

import numpy as np
import numpy.typing as npt
import pytest

from env_service.domain.observation import (
    Channel,
    EncodedObservation,
    Frame,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    Observation,
    ObservationRequest,
)
from env_service.engine.frames import (
    FIRST_SIZE,
    FrameReceiver,
    FrameSender,
    ReadableSharedMemory,
    WritableSharedMemory,
    make_shared_memory,
)
from env_service.engine.messages import SEEN

RAW = ImageRequest(Channel.RGB, (ImageEncoding.RAW,))
DEPTH = ImageRequest(Channel.DEPTH, (ImageEncoding.RAW_F32,))
Colour = npt.NDArray[np.uint8]


class Line:
    """Both ends of an episode's pictures."""

    def __init__(self, *images: ImageRequest) -> None:
        fd = make_shared_memory()
        self._writable = WritableSharedMemory(os.dup(fd))
        self._readable = ReadableSharedMemory(fd)
        self._sender = FrameSender(ObservationRequest(images), self._writable, None)
        self._receiver = FrameReceiver(self._readable)
        self.sent = 0

    def show(self, *frames: Frame) -> EncodedObservation:
        """Sends an observation, counting the pictures whose bytes travelled."""
        self._writable.clear()
        packed = self._sender.pack(Observation("text", frames))
        self.sent += sum(offset != SEEN for _, offset, _ in packed[1])
        return self._receiver.unpack(packed)

    def close(self) -> None:
        """Lets go of the memory."""
        self._readable.close()


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line(RAW, DEPTH)
    yield line
    line.close()


def picture(seed: int, size: int = 64) -> Colour:
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3), dtype=np.uint8)


def test_bytes_digest_and_labels(line: Line) -> None:
    pixels = picture(1)
    frame = Frame(Channel.RGB, pixels, ImageRole.VIEW, "sink")
    observation = line.show(frame)
    (image,) = observation.images
    assert observation.text == "text"
    assert image.data == pixels.tobytes()
    assert image.digest == sha256(image.data).digest()
    assert (image.channel, image.role, image.view) == (Channel.RGB, ImageRole.VIEW, "sink")
    assert (image.width, image.height) == (64, 64)


def test_width_and_height_are_not_swapped(line: Line) -> None:
    (image,) = line.show(Frame(Channel.RGB, np.zeros((2, 5, 3), np.uint8))).images
    assert (image.width, image.height) == (5, 2)


def test_a_suite_may_draw_into_the_same_array_again(line: Line) -> None:
    pixels = picture(1)
    line.show(Frame(Channel.RGB, pixels))
    pixels[40, 40, 1] ^= 1
    (image,) = line.show(Frame(Channel.RGB, pixels)).images
    assert image.data == pixels.tobytes()
    assert line.sent == 2


def test_an_unchanged_picture_does_not_travel(line: Line) -> None:
    first = line.show(Frame(Channel.RGB, picture(1)))
    assert line.show(Frame(Channel.RGB, picture(1))) == first
    assert line.sent == 1


def test_any_single_sample_makes_a_new_picture(line: Line) -> None:
    pixels = picture(1)
    line.show(Frame(Channel.RGB, pixels))
    for index in np.random.default_rng(0).integers(0, pixels.size, 20):
        pixels.reshape(-1)[index] ^= 1
        (image,) = line.show(Frame(Channel.RGB, pixels)).images
        assert image.data == pixels.tobytes()


def test_the_previous_frame_does_not_travel(line: Line) -> None:
    line.show(Frame(Channel.RGB, picture(0)))
    for step in range(1, 4):
        now = Frame(Channel.RGB, picture(step))
        before = Frame(Channel.RGB, picture(step - 1), ImageRole.PREVIOUS)
        images = line.show(now, before).images
        assert [image.data for image in images] == [now.pixels.tobytes(), before.pixels.tobytes()]
    assert line.sent == 4


def test_a_picture_shown_twice_at_once_is_not_mixed_up_later(line: Line) -> None:
    def show(*seeds: int) -> list[bytes]:
        frames = [Frame(Channel.RGB, picture(seed), ImageRole.VIEW, str(seed)) for seed in seeds]
        return [image.data for image in line.show(*frames).images]

    for seeds in ((0,), (0, 0), (1, 2), (2, 1), (3, 3), (3, 3), (4, 5), (5, 4)):
        assert show(*seeds) == [picture(seed).tobytes() for seed in seeds]


def test_the_sign_of_zero_travels(line: Line) -> None:
    for depth in (np.zeros((4, 4), np.float32), -np.zeros((4, 4), np.float32)):
        (image,) = line.show(Frame(Channel.DEPTH, depth)).images
        assert image.data == depth.tobytes()


def test_an_observation_without_pictures_changes_nothing(line: Line) -> None:
    line.show(Frame(Channel.RGB, picture(1)))
    assert line.show() == EncodedObservation("text")
    (image,) = line.show(Frame(Channel.RGB, picture(1))).images
    assert image.data == picture(1).tobytes()


def test_a_picture_of_another_size_is_new(line: Line) -> None:
    line.show(Frame(Channel.RGB, np.zeros((4, 4, 3), np.uint8)))
    (image,) = line.show(Frame(Channel.RGB, np.zeros((2, 8, 3), np.uint8))).images
    assert (image.width, image.height) == (8, 2)


def test_channels_travel_side_by_side(line: Line) -> None:
    depth = np.linspace(0, 9, 64 * 64, dtype=np.float32).reshape(64, 64)
    colour, metres = line.show(Frame(Channel.RGB, picture(1)), Frame(Channel.DEPTH, depth)).images
    assert colour.data == picture(1).tobytes()
    assert metres.data == depth.tobytes()


def test_the_page_grows_with_the_pictures(line: Line) -> None:
    size = 1200
    assert 2 * size * size * 3 > FIRST_SIZE
    views = [Frame(Channel.RGB, picture(n, size), ImageRole.VIEW, str(n)) for n in range(2)]
    images = line.show(*views).images
    assert [image.data for image in images] == [view.pixels.tobytes() for view in views]


def test_a_channel_that_nobody_asked_for_is_refused(line: Line) -> None:
    with pytest.raises(ValueError, match="TOP_DOWN, which was not requested"):
        line.show(Frame(Channel.TOP_DOWN, picture(1)))


def test_a_grant_without_an_encoding_is_raw() -> None:
    line = Line(ImageRequest(Channel.RGB))
    (image,) = line.show(Frame(Channel.RGB, picture(1))).images
    assert image.encoding is ImageEncoding.RAW
    line.close()
