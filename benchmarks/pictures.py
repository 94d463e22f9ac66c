"""What pictures cost: to encode, and to pack while a run plays.

    python -m benchmarks.pictures                       # grids alone
    python -m benchmarks.pictures --rooms FOLDER        # and pictures of rooms, of any format
    python -m benchmarks.pictures --only packing

``encoding`` compares ways to write PNG and lossless WebP: CPU time, size against raw, and CPU
time to read back with Pillow. Rooms are measured at 300×300, as they are and, four in one, at
twice the side. ``packing`` plays steps of the wire benchmark's 512×512 pictures, in turns
while the packing process works and while it is stopped, once as quickly as it goes and once
with a pause between two steps, as an agent makes one.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import signal
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import PIL
from PIL import Image

from benchmarks.children import none_left
from benchmarks.own import Houseguest
from benchmarks.peers.cpu import cpu_seconds
from env_service.domain.action import SkillCall
from env_service.domain.observation import ImageEncoding, ObservationRequest
from env_service.suites.babyai.suite import BabyAiSuite
from env_service.suites.base import EpisodeOrder
from env_service.wire.images import encode, encode_png

Picture = npt.NDArray[np.uint8]
Encoder = Callable[[Picture], bytes]

GRIDS = 16
ROOMS = 24
PAUSE = 0.03
"""Seconds between two steps of an agent that takes its time."""
ROUNDS = 16
STEPS = 40
"""A round's. A whole run is fewer pictures than may wait unpacked."""


def pillow(kind: str, **options: Any) -> Encoder:
    """Pillow's writer with these options."""

    def write(pixels: Picture) -> bytes:
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, kind, **options)
        return file.getvalue()

    return write


def webp(method: int, quality: int) -> Encoder:
    """Pillow's lossless WebP."""
    return pillow("WEBP", lossless=True, method=method, quality=quality)


WAYS: dict[str, Encoder] = {
    **{f"PNG, Pillow, level {n}": pillow("PNG", compress_level=n) for n in (1, 6, 9)},
    **{f"PNG, ours, level {n}": partial(encode_png, level=n) for n in range(4)},
    **{f"WebP, method {m}, quality {q}": webp(m, q) for m, q in ((0, 0), (0, 50), (1, 0), (4, 50))},
    "PNG, as the service": lambda pixels: bytes(encode(pixels, ImageEncoding.PNG)),
    "WebP, as the service": lambda pixels: bytes(encode(pixels, ImageEncoding.WEBP_LOSSLESS)),
}


def grids() -> list[Picture]:
    """Pictures of BabyAI levels, a few random steps in, both views."""
    suite, generator = BabyAiSuite(), random.Random(0)
    tasks, pictures = suite.task_sets()["evaluation"].tasks, []
    for number, task in enumerate(generator.sample(tasks, GRIDS)):
        condition = {setting.name: setting.default for setting in suite.settings}
        condition |= {"observation": "picture", "view": ("full", "partial")[number % 2]}
        request = suite.offer(condition).grant(ObservationRequest())
        episode = suite.open_episode(EpisodeOrder(task, "babyai", condition, request, 0))
        skills = episode.start().action_space.skills
        for _ in range(4):
            shown = episode.act(SkillCall(generator.choice(skills).name)).observation
        pictures.append(np.array(shown.frames[0].pixels, np.uint8))
    return pictures


def rooms(folder: Path) -> dict[str, list[Picture]]:
    """A folder's pictures by size."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    chosen = random.Random(0).sample(paths, min(ROOMS, len(paths)))
    images = [Image.open(path).convert("RGB") for path in chosen]
    whole = [np.asarray(image) for image in images]
    small = [np.asarray(image.resize((300, 300), Image.Resampling.LANCZOS)) for image in images]
    fours = [whole[n : n + 4] for n in range(0, len(whole) - 3, 4)]
    large = [np.vstack((np.hstack(four[:2]), np.hstack(four[2:]))) for four in fours]
    return {
        f"{side}": group[:most]
        for side, group, most in (
            ("rooms 300", small, 12),
            (f"rooms {images[0].width}", whole, 12),
            (f"rooms {2 * images[0].width}", large, 6),
        )
    }


def encoding(options: argparse.Namespace) -> None:
    """Prints a table: CPU ms to write, size in per cent of raw, CPU ms to read."""
    sets = {"grids": grids()} | (rooms(options.rooms) if options.rooms else {})
    print(
        f"\nCPU ms to write, % of raw, CPU ms to read\n{'':26}" + "".join(f"{n:>24}" for n in sets)
    )
    for name, way in WAYS.items():
        cells = "".join(f"{_cost(way, pictures):>24}" for pictures in sets.values())
        print(f"{name:26}{cells}", flush=True)


def _cost(way: Encoder, pictures: Sequence[Picture]) -> str:
    writing, reading, files = [], [], []
    for picture in (pictures[0], *pictures):
        started = time.process_time()
        data = way(picture)
        written = time.process_time()
        with Image.open(io.BytesIO(data)) as opened:
            again = np.asarray(opened.convert("RGB"))
        read = time.process_time()
        if not np.array_equal(again, picture):
            raise RuntimeError("not lossless")
        writing.append(written - started)
        reading.append(read - written)
        files.append(len(data))
    size = sum(files[1:]) / sum(picture.nbytes for picture in pictures)
    write, back = (1000 * statistics.median(each[1:]) for each in (writing, reading))
    return f"{write:.2f}  {size:.1%}  {back:.2f}"


@dataclass(frozen=True, slots=True)
class _Round:
    """Milliseconds a step: CPU of client, gateway and worker; wall; the packer's CPU."""

    cpu: float
    wall: float
    packer: float


def packing(options: argparse.Namespace) -> None:
    """Prints what a step costs while a packer works, and while it is stopped."""
    del options
    for pause in (0.0, PAUSE):
        found: dict[bool, list[_Round]] = {True: [], False: []}
        with ExitStack() as stack:
            peer = Houseguest("play")
            peer.start(frame=True)
            stack.callback(peer.stop)
            (packer,) = peer.packer_pids()
            stack.callback(os.kill, packer, signal.SIGCONT)
            peer.steps(STEPS)
            # The packer's imports do not count as the cost of a step.
            time.sleep(2.0)
            for number in range(ROUNDS):
                works = number % 4 in (0, 3)
                os.kill(packer, signal.SIGCONT if works else signal.SIGSTOP)
                found[works].append(_steps(peer, packer, pause))
        print(f"\n{pause * 1000:.0f} ms between two steps; CPU ms and wall ms a step, medians")
        for works, rounds in found.items():
            cpu, wall, own = (
                statistics.median(getattr(each, name) for each in rounds)
                for name in _Round.__slots__
            )
            state = "works" if works else "is stopped"
            print(f"packer {state:12}{cpu:8.3f}{wall:8.3f}   packer itself {own:.3f}")


def _steps(peer: Houseguest, packer: int, pause: float) -> _Round:
    pids = peer.server_pids()
    cpu, own, walls = _cpu(pids), cpu_seconds(packer), []
    for _ in range(STEPS):
        started = time.perf_counter()
        peer.steps(1)
        walls.append(time.perf_counter() - started)
        time.sleep(pause)
    scale = 1000 / STEPS
    return _Round(
        (_cpu(pids) - cpu) * scale,
        statistics.median(walls) * 1000,
        (cpu_seconds(packer) - own) * scale,
    )


def _cpu(pids: Sequence[int]) -> float:
    return time.process_time() + sum(map(cpu_seconds, pids))


PARTS = {part.__name__: part for part in (encoding, packing)}


@none_left()
def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="may be repeated")
    parser.add_argument("--rooms", type=Path, help="a folder of pictures of rooms")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, Pillow {PIL.__version__}")
    for name in options.only or PARTS:
        PARTS[name](options)


if __name__ == "__main__":
    main()
