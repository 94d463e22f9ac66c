"""Packing: smaller files, the same pixels."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.results.frame_packer import pack_all, packing_alone
from env_service.storage.frame_store import FrameStore


def stored(folder: Path, pixels: npt.NDArray[np.uint8]) -> EncodedImage:
    """A raw picture of these pixels, put into the store."""
    data = pixels.tobytes()
    height, width, _ = pixels.shape
    kind = (Channel.RGB, ImageEncoding.RAW, width, height, ImageRole.CURRENT, "")
    image = EncodedImage(*kind, sha256(data).digest(), data)
    FrameStore(folder).put(image)
    return image


def slope(seed: int) -> npt.NDArray[np.uint8]:
    """24 × 16 pixels of smooth colour."""
    return np.linspace(seed, seed + 90, 16 * 24 * 3).astype(np.uint8).reshape(16, 24, 3)


def pictures(folder: Path) -> list[Path]:
    """Every stored picture."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in found if not path.name.startswith("."))


def test_packing_makes_it_smaller_and_loses_nothing(tmp_path: Path) -> None:
    images = [stored(tmp_path, slope(seed)) for seed in range(5)]
    before = sum(path.stat().st_size for path in pictures(tmp_path))
    seen: list[tuple[int, int]] = []

    packed = pack_all(tmp_path, lambda done, total: seen.append((done, total)))

    assert packed == 5
    assert seen == [(done, 5) for done in range(1, 6)]
    assert {path.suffix for path in pictures(tmp_path)} == {".webp"}
    assert sum(path.stat().st_size for path in pictures(tmp_path)) < before
    for image in images:
        assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data


def test_a_packed_picture_opens_in_any_viewer(tmp_path: Path) -> None:
    image = stored(tmp_path, slope(0))
    pack_all(tmp_path)

    with Image.open(pictures(tmp_path)[0]) as opened:
        assert (opened.size, opened.convert("RGB").tobytes()) == ((24, 16), image.data)


def test_a_packed_picture_is_not_stored_again(tmp_path: Path) -> None:
    stored(tmp_path, slope(0))
    pack_all(tmp_path)

    stored(tmp_path, slope(0))

    assert [path.suffix for path in pictures(tmp_path)] == [".webp"]
    assert pack_all(tmp_path) == 0


def test_a_store_that_a_reader_holds_open_is_still_read(tmp_path: Path) -> None:
    image = stored(tmp_path, slope(0))
    reader = FrameStore(tmp_path)
    assert reader.read(image.digest, image.encoding) == image.data

    pack_all(tmp_path)

    assert reader.read(image.digest, image.encoding) == image.data


def test_a_picture_that_no_webp_can_hold_stays_raw(tmp_path: Path) -> None:
    image = stored(tmp_path, np.zeros((1, 16_384, 3), np.uint8))

    assert pack_all(tmp_path) == 0

    assert [path.suffix for path in pictures(tmp_path)] == [".ppm"]
    assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data


def test_raw_pictures_of_older_runs_are_packed(tmp_path: Path) -> None:
    image = stored(tmp_path, slope(0))
    raw = pictures(tmp_path)[0]
    (tmp_path / raw.name[:2]).mkdir()
    raw.rename(tmp_path / raw.name[:2] / raw.name)

    assert pack_all(tmp_path) == 1

    assert [path.suffix for path in pictures(tmp_path)] == [".webp"]
    assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data


def test_one_packs_at_a_time(tmp_path: Path) -> None:
    stored(tmp_path, slope(0))
    with packing_alone(tmp_path) as alone:
        assert alone
        assert pack_all(tmp_path) == 0

    assert pack_all(tmp_path) == 1


def test_a_draft_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    stored(tmp_path, slope(0))
    fresh, old = tmp_path / "raw" / ".a.ppm.01", tmp_path / "raw" / ".b.ppm.02"
    for draft in (fresh, old):
        draft.write_bytes(b"P6")
    os.utime(old, (0, 0))

    pack_all(tmp_path)

    assert fresh.exists()
    assert not old.exists()
