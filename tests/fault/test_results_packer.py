"""The packing process: works while others write and read, and may die at any moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Barrier

import pytest

from env_service.domain.observation import Channel, EncodedImage, ImageEncoding, ImageRole
from env_service.results import frame_packer
from env_service.results.frame_packer import PACKING_LOG, Packer
from env_service.storage.frame_store import FrameStore
from tests.support.command_line import lines

SIDE = 64
SERVICE = """
import sys, time
from pathlib import Path
from env_service.results.frame_packer import Packer

packer = Packer()
packer.watch(Path(sys.argv[1]))
print(packer.pid, flush=True)
time.sleep(60)
"""


def picture(number: int) -> EncodedImage:
    data = number.to_bytes(4, "big") * (SIDE * SIDE * 3 // 4)
    kind = (Channel.RGB, ImageEncoding.RAW, SIDE, SIDE, ImageRole.CURRENT, "")
    return EncodedImage(*kind, sha256(data).digest(), data)


def put(folder: Path, *numbers: int) -> None:
    store = FrameStore(folder)
    for number in numbers:
        store.put(picture(number))


def until(condition: Callable[[], object]) -> None:
    # The packer runs only while a processor is idle, which it may not be for minutes.
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def packed(folder: Path) -> int:
    return len(list(folder.glob("??/*.webp")))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.fixture
def packer() -> Iterator[Packer]:
    packer = Packer()
    yield packer
    packer.close()


def test_pictures_are_packed_while_they_are_written_and_read(
    tmp_path: Path, packer: Packer
) -> None:
    packer.watch(tmp_path)
    writer, reader = FrameStore(tmp_path), FrameStore(tmp_path)
    images = [picture(number) for number in range(200)]
    for count, image in enumerate(images, 1):
        writer.put(image)
        for each in images[:count:17]:
            assert reader.read(each.digest, each.encoding) == each.data

    until(lambda: packed(tmp_path) == 200 and not list(tmp_path.glob("raw/*.ppm")))

    for image in images:
        assert reader.read(image.digest, image.encoding) == image.data


def test_several_stores_and_one_that_is_removed(tmp_path: Path, packer: Packer) -> None:
    stores = [tmp_path / name for name in "abc"]
    for store in stores:
        put(store, 1)
        packer.watch(store)
    until(lambda: all(packed(store) == 1 for store in stores))

    shutil.rmtree(stores[0])
    put(stores[2], 2)

    until(lambda: packed(stores[2]) == 2)
    assert not stores[0].exists()


def test_runs_that_open_at_once_share_one_process_which_close_ends(
    tmp_path: Path, packer: Packer, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, start = [], frame_packer._start
    all_are_here = Barrier(8)

    def started_late() -> subprocess.Popen[bytes]:
        time.sleep(0.1)
        started.append(start())
        return started[-1]

    def watch(number: int) -> None:
        all_are_here.wait()
        packer.watch(tmp_path / str(number))

    monkeypatch.setattr(frame_packer, "_start", started_late)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(watch, range(8)))
    assert [process.pid for process in started] == [packer.pid]

    packer.close()
    packer.watch(tmp_path)

    assert [process.returncode for process in started] == [-signal.SIGKILL]
    assert packer.pid is None


def test_a_released_store_is_packed_to_its_end(tmp_path: Path, packer: Packer) -> None:
    packer.watch(tmp_path)
    put(tmp_path, *range(50))
    packer.release(tmp_path)

    until(lambda: packed(tmp_path) == 50)


def test_closing_is_at_once_and_loses_nothing(tmp_path: Path, packer: Packer) -> None:
    put(tmp_path, *range(500))
    packer.watch(tmp_path)
    until(lambda: packed(tmp_path) > 3)
    pid = packer.pid
    assert pid is not None

    packer.close()
    packer.close()

    assert not is_running(pid)
    assert any(tmp_path.glob("raw/*.ppm"))
    for number in range(500):
        image = picture(number)
        assert FrameStore(tmp_path).read(image.digest, image.encoding) == image.data


def test_a_killed_packer_is_replaced_for_the_next_store(tmp_path: Path, packer: Packer) -> None:
    packer.watch(tmp_path)
    assert packer.pid is not None
    os.kill(packer.pid, signal.SIGKILL)
    until(lambda: not is_running(packer.pid or 0))
    packer.release(tmp_path)

    put(tmp_path, 1)
    packer.watch(tmp_path)

    until(lambda: packed(tmp_path) == 1)


def test_it_ends_with_a_service_that_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVICE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        pid = int(service.stdout.readline())
        service.kill()
    until(lambda: not is_running(pid))


def test_a_disk_that_takes_nothing_is_noted_beside_the_run(tmp_path: Path, packer: Packer) -> None:
    frames, logs = tmp_path / "frames", tmp_path / "logs"
    logs.mkdir()
    put(frames, 1)
    # Where the packed picture's folder should be.
    blocker = frames / picture(1).digest.hex()[:2]
    blocker.write_text("")

    packer.watch(frames)

    # It is there before it is written to.
    until(lambda: any(str(blocker) in line for line in lines(logs / PACKING_LOG)))
    blocker.unlink()
    packer.watch(frames)
    until(lambda: packed(frames) == 1)


def test_a_damaged_picture_does_not_stop_the_others(tmp_path: Path, packer: Packer) -> None:
    put(tmp_path, 1, 2, 3)
    damaged = tmp_path / "raw" / f"{picture(2).digest.hex()}.ppm"
    damaged.write_bytes(damaged.read_bytes()[:-1])

    packer.watch(tmp_path)

    until(lambda: packed(tmp_path) == 2)
    assert damaged.exists()
