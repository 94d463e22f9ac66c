"""Whether the household world does the same everywhere.

    python -m benchmarks.household_determinism --python python3.13

One random episode in each of some scenes is played by several processes that differ in what must
not matter, and the digests of all metadata and of every tenth picture are compared step by step:

- ``hash seed``: Python's order of sets;
- ``threads``: one and two for every library that starts some;
- ``no avx512``, ``no avx2``: NumPy without these instructions, as far as the machine has them;
- ``no numba``: the renderer's loops not compiled;
- ``order``: the scenes in reverse, in one process, so that each finds other things remembered;
- ``replay``: the same actions, without reading what most steps show;
- ``libm``: sines, powers and the like off by a last bit now and then, as between C libraries;
- ``--python PATH``: another interpreter, which needs NumPy, Pillow and platformdirs;
- ``all``: hash seed, threads, no avx2, no numba, order, libm and the last interpreter at once.
  Where this is the same, each of these is.

Exits with 1 where anything differs. ``--scenes`` and ``--steps`` make it shorter: all of it takes
many minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.children import none_left
from benchmarks.other_libm import nudge
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import household_scenes
from tests.support.household_episode import played, replayed

SCENES = (
    "FloorPlan1", "FloorPlan12", "FloorPlan201", "FloorPlan212", "FloorPlan301", "FloorPlan315",
    "FloorPlan401", "FloorPlan420", "household-kitchen-1", "household-living-room-1",
    "household-bedroom-1", "household-bathroom-1",
)  # fmt: skip
STEPS = 500
READ_EVERY = 10
"""Steps of a replay of which something is read."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """A way to play that must not matter.

    Attributes:
        name: what differs.
        environment: variables of its process.
        words: the command line of its process.
        python: its interpreter.
    """

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    python: str = sys.executable


def threads(count: int) -> dict[str, str]:
    """The environment that gives every library so many threads."""
    return dict.fromkeys(THREADS, str(count))


def variants(pythons: Sequence[str], recorded: Path) -> list[Variant]:
    """All ways to play; the first is what the others are compared with."""
    return [
        Variant("base", {"PYTHONHASHSEED": "1", **threads(1)}),
        Variant("hash seed", {"PYTHONHASHSEED": "2", **threads(1)}),
        Variant("threads", threads(2)),
        *_without_instructions(),
        Variant("no numba", words=("--without-numba",)),
        Variant("order", words=("--reverse",)),
        Variant("replay", words=("--replay", str(recorded))),
        Variant("libm", words=("--nudge", "--without-numba")),
        *(Variant(python, python=python) for python in pythons),
        Variant(
            "all",
            {"PYTHONHASHSEED": "3", **threads(2), **_disabled(_supported())},
            ("--reverse", "--nudge", "--without-numba"),
            [sys.executable, *pythons][-1],
        ),
    ]


def _supported() -> list[str]:
    """The instructions beyond the least ones that NumPy uses on this machine."""
    core = import_module("numpy._core._multiarray_umath")
    return [name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]]


def _disabled(names: Sequence[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(names)} if names else {}


def _without_instructions() -> Iterable[Variant]:
    supported = _supported()
    wide = [name for name in supported if "512" in name or name.endswith("V4")]
    for name, lacking in (("no avx512", wide), ("no avx2", supported)):
        if lacking:
            yield Variant(name, _disabled(lacking))


def play(options: argparse.Namespace) -> None:
    """Plays all scenes in this process and prints a line of JSON for every step."""
    if options.without_numba:
        sys.modules["numba"] = None  # type: ignore[assignment]
    if options.nudge:
        nudge()
    recorded = _recorded(options.replay) if options.replay else {}
    scenes = options.scenes[::-1] if options.reverse else options.scenes
    with HouseholdController(scenes[0], library=household_scenes(), renderer="soft") as controller:
        for scene in scenes:
            if options.replay:
                choices = [json.loads(line["action"]) for line in recorded[scene][1:]]
                steps = replayed(controller, scene, choices, every=READ_EVERY)
            else:
                steps = played(controller, scene, steps=options.steps, seed=options.seed)
            for step in steps:
                sys.stdout.write(json.dumps({"scene": scene, **asdict(step)}) + "\n")


def _recorded(path: Path) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for written in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(written)
        found.setdefault(line["scene"], []).append(line)
    return found


def differences(base: Path, other: Path) -> list[str]:
    """The first difference in every scene, in words."""
    found = []
    first, second = _recorded(base), _recorded(other)
    for scene, lines in first.items():
        others = {line["number"]: line for line in second.get(scene, [])}
        if lines and not others:
            found.append(f"{scene}: was not played")
        for line in lines:
            same = others.get(line["number"])
            if same is None:
                continue
            differing = [
                key
                for key in ("action", "success", "metadata", "picture")
                if line[key] != same[key] and None not in (line[key], same[key])
            ]
            if differing:
                what = " and ".join(differing)
                found.append(f"{scene}, step {line['number']}, {line['action'][:90]}: {what}")
                break
    return found


def run(variant: Variant, options: argparse.Namespace, folder: Path) -> tuple[Path, float]:
    """Plays a variant in a separate process: what it printed, and seconds by the clock."""
    path = folder / f"{variant.name.replace('/', '_').replace(' ', '-')}.jsonl"
    command = [variant.python, "-m", "benchmarks.household_determinism", "--play"]
    command += ["--steps", str(options.steps), "--seed", str(options.seed), *variant.words]
    started = time.perf_counter()
    with path.open("w", encoding="utf-8") as file:
        subprocess.run(
            [*command, "--scenes", *options.scenes],
            check=True,
            stdout=file,
            env={**os.environ, **variant.environment},
        )
    return path, time.perf_counter() - started


def compare(options: argparse.Namespace, folder: Path) -> bool:
    """Plays all variants and prints what differs; whether nothing does."""
    ways = variants(options.python, folder / "base.jsonl")
    chosen = [way for way in ways[1:] if not options.only or way.name in options.only]
    base, seconds = run(ways[0], options, folder)
    lines = [line for scene in _recorded(base).values() for line in scene]
    done = sum(line["success"] for line in lines)
    print(f"base: {len(lines)} steps, {done} of them carried out, {seconds:.0f} s", flush=True)
    same = True
    # Left first when something goes wrong: the pool would wait for its players to end.
    with ThreadPoolExecutor(options.parallel) as pool, none_left():
        results = pool.map(lambda way: run(way, options, folder), chosen)
        for way, (path, seconds) in zip(chosen, results, strict=True):
            found = differences(base, path)
            same = same and not found
            print(f"{way.name}: {'the same' if not found else 'DIFFERS'}, {seconds:.0f} s")
            for each in found:
                print(f"  {each}", flush=True)
    return same


@none_left()
def main() -> int:
    """Reads the command line and compares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=SCENES)
    parser.add_argument("--steps", type=int, default=STEPS, help="10 at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", help="variants by name, instead of all")
    parser.add_argument("--python", nargs="+", default=(), help="more interpreters")
    parser.add_argument("--parallel", type=int, default=1, help="processes at a time")
    parser.add_argument("--folder", type=Path, help="keeps what the processes printed")
    for word in ("--play", "--without-numba", "--reverse", "--nudge"):
        parser.add_argument(word, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--replay", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        play(options)
        return 0
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return 0 if compare(options, options.folder) else 1
    with tempfile.TemporaryDirectory(prefix="determinism-") as folder:
        return 0 if compare(options, Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
