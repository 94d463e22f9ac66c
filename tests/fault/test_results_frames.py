"""The frame store when processes die and files are damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.results.frame_packer import pack_all
from env_service.storage.frame_store import FrameError, FrameStore

SIDE = 64

KILLER = """
import os, signal, sys, threading, time
from pathlib import Path

def kill():
    while not any(Path(sys.argv[1]).glob(sys.argv[2])):
        time.sleep(0.001)
    time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGKILL)

threading.Thread(target=kill, daemon=True).start()
"""
"""In the process that it kills: on a busy machine both have to wait."""

WRITER = """
import sys
from hashlib import sha256
from pathlib import Path
from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.storage.frame_store import FrameStore

store = FrameStore(Path(sys.argv[1]))
for number in range(100_000):
    data = number.to_bytes(4, "big") * (64 * 64 * 3 // 4)
    digest = sha256(data).digest()
    store.put(
        EncodedImage(
            Channel.RGB, ImageEncoding.RAW, 64, 64, ImageRole.CURRENT, "", digest, data
        )
    )
"""

PACKING = """
import sys
from pathlib import Path
from env_service.results.frame_packer import pack_all

pack_all(Path(sys.argv[1]))
"""


def picture(number: int) -> EncodedImage:
    data = number.to_bytes(4, "big") * (SIDE * SIDE * 3 // 4)
    digest = sha256(data).digest()
    kind = (Channel.RGB, ImageEncoding.RAW, SIDE, SIDE, ImageRole.CURRENT, "")
    return EncodedImage(*kind, digest, data)


def kill_once(program: str, folder: Path, ready: str) -> None:
    """Runs the program, which is killed soon after the first file of that pattern appears."""
    command = [sys.executable, "-c", KILLER + program, str(folder), ready]
    assert subprocess.run(command, timeout=150, check=False).returncode == -signal.SIGKILL


def named(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if not path.name.startswith(".")]


def test_a_killed_writer_leaves_no_half_picture(tmp_path: Path) -> None:
    kill_once(WRITER, tmp_path, "raw/*.ppm")

    paths = named(tmp_path)
    assert paths
    for path in paths:
        FrameStore(tmp_path).read(bytes.fromhex(path.stem), ImageEncoding.RAW)


def test_killed_packing_loses_nothing_and_is_taken_up_again(tmp_path: Path) -> None:
    images = [picture(number) for number in range(300)]
    store = FrameStore(tmp_path)
    for image in images:
        store.put(image)

    kill_once(PACKING, tmp_path, "??/*.webp")
    assert any(tmp_path.glob("raw/*.ppm")), "it was to be killed before its end"
    for image in images:
        assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data

    for draft in tmp_path.glob("??/.*"):
        os.utime(draft, (0, 0))
    pack_all(tmp_path)
    assert sorted(path.name for path in named(tmp_path)) == sorted(
        f"{image.digest.hex()}.webp" for image in images
    )
    assert not list(tmp_path.glob("??/.*"))


@pytest.mark.parametrize("damage", ["cut", "changed", "no header"])
def test_a_damaged_picture_is_reported_and_never_packed(tmp_path: Path, damage: str) -> None:
    store, image = FrameStore(tmp_path), picture(1)
    store.put(image)
    path = store.path(image.digest, image.encoding)
    data = path.read_bytes()
    broken = {"cut": data[:-1], "changed": data[:-1] + b"\xff", "no header": data[3:]}[damage]
    path.write_bytes(broken)

    assert pack_all(tmp_path) == 0
    assert path.read_bytes() == broken
    with pytest.raises(FrameError, match=image.digest.hex()):
        store.read(image.digest, image.encoding)


def test_a_damaged_packed_picture_is_reported(tmp_path: Path) -> None:
    store, image = FrameStore(tmp_path), picture(1)
    store.put(image)
    pack_all(tmp_path)
    path = next(tmp_path.glob("??/*.webp"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))

    with pytest.raises(FrameError, match=image.digest.hex()):
        store.read(image.digest, image.encoding)
