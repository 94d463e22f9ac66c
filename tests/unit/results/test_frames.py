"""The frame store: one picture, one file, no loss."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.storage import frame_store
from env_service.storage.frame_store import FrameError, FrameStore


def picture(seed: int, encoding: ImageEncoding = ImageEncoding.RAW) -> EncodedImage:
    """24 × 16 pixels of smooth colour."""
    ramp = np.linspace(seed, seed + 90, 24 * 16 * 3).astype(np.uint8)
    data = ramp.tobytes()
    digest = sha256(data).digest()
    return EncodedImage(Channel.RGB, encoding, 24, 16, ImageRole.CURRENT, "", digest, data)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_picture_is_stored_once_under_its_hash(tmp_path: Path) -> None:
    image = picture(0)
    for _ in range(2):
        FrameStore(tmp_path).put(image)

    name = image.digest.hex()
    assert files(tmp_path) == [tmp_path / "raw" / f"{name}.ppm"]
    assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data


def test_raw_colour_opens_in_any_viewer(tmp_path: Path) -> None:
    image = picture(0)
    FrameStore(tmp_path).put(image)

    with Image.open(files(tmp_path)[0]) as opened:
        assert (opened.size, opened.tobytes()) == ((24, 16), image.data)


@pytest.mark.parametrize("encoding", [ImageEncoding.PNG, ImageEncoding.RAW_F32])
def test_other_encodings_are_stored_as_they_are(tmp_path: Path, encoding: ImageEncoding) -> None:
    image = picture(0, encoding)
    store = FrameStore(tmp_path)
    store.put(image)

    assert files(tmp_path)[0].read_bytes() == image.data == store.read(image.digest, encoding)


@pytest.mark.parametrize("suffix", [".png", ".ppm"])
def test_pictures_of_older_runs_are_read(tmp_path: Path, suffix: str) -> None:
    image = picture(0)
    name = image.digest.hex()
    (tmp_path / name[:2]).mkdir()
    Image.frombytes("RGB", (24, 16), image.data).save(tmp_path / name[:2] / (name + suffix))
    store = FrameStore(tmp_path)

    assert store.read(image.digest, image.encoding) == image.data
    store.put(image)
    assert len(files(tmp_path)) == 1


def test_a_full_spool_makes_writers_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_store, "SPOOL_BYTES", 40 * 24 * 16 * 3)
    images = [picture(seed) for seed in range(100)]
    store = FrameStore(tmp_path)
    for image in images:
        store.put(image)

    suffixes = Counter(path.suffix for path in files(tmp_path))
    assert suffixes == {".ppm": 64, ".png": 36}
    for image in images:
        assert store.read(image.digest, image.encoding) == image.data


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    image = picture(0)

    with pytest.raises(FrameError, match=f"{image.digest.hex()}.ppm is missing"):
        FrameStore(tmp_path).read(image.digest, image.encoding)
