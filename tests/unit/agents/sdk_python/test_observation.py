from __future__ import annotations

import hashlib
import io
import sys

import numpy as np
import pytest
from houseguest.agent.v1 import observation_pb2 as pb
from houseguest_agent import Channel, Image, ImageEncoding, ImageError, ImageRole, Observation
from houseguest_agent.observation import Album
from PIL import Image as Pillow

PIXELS = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


def image(data: bytes, encoding: ImageEncoding = ImageEncoding.RAW, **changes: object) -> Image:
    fields = {
        "channel": Channel.RGB,
        "role": ImageRole.CURRENT,
        "view": "",
        "width": 3,
        "height": 2,
        "buffer": data,
        "encoding": encoding,
    }
    return Image(**{**fields, **changes})  # type: ignore[arg-type]


def packed(file_type: str) -> bytes:
    file = io.BytesIO()
    Pillow.fromarray(PIXELS).save(file, file_type, lossless=True)
    return file.getvalue()


def message(index: int, data: bytes | None = None, same_as: int | None = None) -> pb.Observation:
    picture = pb.Image(
        channel=pb.CHANNEL_RGB,
        encoding=pb.IMAGE_ENCODING_RAW,
        width=3,
        height=2,
        role=pb.IMAGE_ROLE_CURRENT,
    )
    if data is not None:
        picture.data = data
    if same_as is not None:
        picture.same_as_observation = same_as
    return pb.Observation(index=index, images=[picture], text="a room")


def test_raw_pixels_are_height_by_width_by_three() -> None:
    pixels = image(PIXELS.tobytes()).pixels
    assert pixels.dtype == np.uint8
    assert np.array_equal(pixels, PIXELS)
    assert not pixels.flags.writeable


def test_depth_is_in_metres() -> None:
    depth = np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 5.25]], dtype="<f4")
    pixels = image(depth.tobytes(), ImageEncoding.RAW_F32, channel=Channel.DEPTH).pixels
    assert pixels.dtype == np.float32
    assert np.array_equal(pixels, depth)


@pytest.mark.parametrize("encoding", [ImageEncoding.PNG, ImageEncoding.WEBP_LOSSLESS])
def test_lossless_pictures_are_decoded(encoding: ImageEncoding) -> None:
    data = packed("PNG" if encoding is ImageEncoding.PNG else "WEBP")
    pixels = image(data, encoding).pixels
    assert np.array_equal(pixels, PIXELS)
    assert not pixels.flags.writeable


@pytest.mark.parametrize("encoding", [ImageEncoding.RAW, ImageEncoding.PNG])
def test_broken_bytes_are_named(encoding: ImageEncoding) -> None:
    with pytest.raises(ImageError, match=f"3 × 2 pixels with 5 bytes is not valid {encoding.name}"):
        _ = image(b"12345", encoding).pixels


def test_without_pillow_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    picture = image(packed("PNG"), ImageEncoding.PNG)
    with pytest.raises(ImageError, match="pip install pillow"):
        _ = picture.pixels
    assert picture.data


def test_a_digest_is_that_of_the_bytes() -> None:
    assert image(b"abc").digest == hashlib.sha256(b"abc").hexdigest()


def test_the_image_is_the_current_colour_picture() -> None:
    before = image(b"1", role=ImageRole.PREVIOUS)
    depth = image(b"2", channel=Channel.DEPTH)
    now = image(b"3")
    assert Observation(0, images=(before, depth, now)).image is now
    assert Observation(0, images=(depth,)).image is depth


def test_an_observation_without_pictures_says_why() -> None:
    with pytest.raises(ImageError, match="only texts"):
        _ = Observation(0, "a room").image


def test_a_reference_brings_the_earlier_picture() -> None:
    album = Album(keep=True)
    album.read(message(0, b"first"))
    newest = album.read(message(1, b"other"))
    assert album.read(message(2, same_as=1)).image.data == newest.image.data == b"other"
    with pytest.raises(ImageError, match="observation 0"):
        album.read(message(3, same_as=0))


def test_a_reference_to_what_never_came_is_an_error() -> None:
    with pytest.raises(ImageError, match="observation 4"):
        Album(keep=True).read(message(5, same_as=4))


def test_an_album_does_not_grow_for_ever_and_a_still_picture_stays() -> None:
    album = Album(keep=True)
    still = message(0, b"still")
    still.images[0].channel = pb.CHANNEL_TOP_DOWN
    album.read(still)
    for index in range(1, 500):
        album.read(message(index, b"moving"))
    with pytest.raises(ImageError, match="observation 1,"):
        album.read(message(500, same_as=1))
    again = message(500, same_as=0)
    again.images[0].channel = pb.CHANNEL_TOP_DOWN
    assert album.read(again).image.data == b"still"


def test_values_of_a_newer_house_read_as_unspecified() -> None:
    news = message(0, b"x")
    news.images[0].channel = pb.Channel.ValueType(99)
    assert Album(keep=False).read(news).image.channel is Channel.UNSPECIFIED
