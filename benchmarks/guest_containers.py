"""What it costs a guest to play from a container: its start, and each of its steps.

    python -m benchmarks.guest_containers                 # two minutes
    python -m benchmarks.guest_containers --sandboxes docker,process,bwrap --json out.json

Needs a Docker engine with the image ``--image``. So that nothing but the sandbox differs, every
guest is the same script with the same packages, those of this environment, which are mounted into
the container; and ``--python`` should be the Python that the image has. Sandboxes take turns,
round by round, in an order that changes; shown are medians over rounds, and of the ratio to a
plain process in the same round, with the middle half of the ratios.

``start`` is from asking for a guest to the answer to its first step, less the time that its own
imports take. ``wall`` and ``cpu`` are milliseconds a step of BabyAI as the guest sees them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from env_service.sandbox.agents import GuestCommand, ImageGuest
from env_service.sandbox.guest import Sandbox
from env_service.sandbox.opening import open_sandbox
from env_service.sandbox.options import DOCKER, PROCESS, ReadOnlyMount, SandboxOptions
from env_service.sandbox.seating import Seating

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "/mnt/packages": Path(sysconfig.get_paths()["purelib"]),
    "/mnt/proto": ROOT / "proto" / "python" / "src",
    "/mnt/sdk": ROOT / "agents" / "sdk_python" / "src",
    "/mnt/bench": ROOT / "benchmarks",
}
"""What guests read, and where they find it in a container."""
SCRIPT = "guest_stopwatch.py"


@dataclass(frozen=True, slots=True)
class Sample:
    """One guest: seconds until its first step without its imports, milliseconds a step."""

    start: float
    imports: float
    wall: float
    cpu: float


@contextmanager
def house(seats: int) -> Iterator[tuple[str, list[str]]]:
    """A run of BabyAI that waits for agents: its address, and a token for each seat."""
    folder = Path(tempfile.mkdtemp(prefix="guest-containers-"))
    command = [sys.executable, "-m", "env_service", "run", "--suite", "babyai", "--json"]
    command += ["--tasks", "GoToLocal", "--repeats", "400", "--agent", "external"]
    command += ["--parallel", str(seats), "--out", str(folder / "runs")]
    command += ["--signing-key", str(folder / "key.pem")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None:
            raise RuntimeError("the house has no standard output")
        launch: dict[str, Any] = json.loads(process.stdout.readline())
        yield launch["address"], launch["tokens"]
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def make_sandbox(kind: str, image: str, python: str, steps: int) -> Sandbox:
    """A sandbox of that kind for the guest that times itself."""
    inside = kind == DOCKER
    places = {where if inside else str(folder): folder for where, folder in PLACES.items()}
    paths = list(places)
    environment = {"PYTHONPATH": ":".join(paths[:3]), "BENCH_STEPS": str(steps)}
    command = (python, f"{paths[3]}/{SCRIPT}")
    mounts = tuple(ReadOnlyMount(source, PurePosixPath(at)) for at, source in places.items())
    options = SandboxOptions(
        kind=kind,
        mounts=() if kind == PROCESS else mounts,
        environment={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    guest = ImageGuest(image, ("python3", command[1])) if inside else GuestCommand(command)
    return open_sandbox(guest, options)


async def sample(sandbox: Sandbox, address: str, token: str, log: Path) -> Sample:
    """Has one guest play. Raises RuntimeError where it fails."""
    asked = time.monotonic()
    guest = await sandbox.start(Seating(address, (token,), 0), log)
    ending = await guest.wait()
    told = guest.log_tail(1)
    await guest.stop()
    if ending.code != 0:
        raise RuntimeError(f"the guest ended with {ending}: {guest.log_tail()}")
    times = json.loads(told)
    imports = times["imported"] - times["awake"]
    start = times["first_step"] - asked - imports
    return Sample(start, imports, times["wall"], times["cpu"])


async def measure(arguments: argparse.Namespace) -> dict[str, list[Sample]]:
    """Samples by kind of sandbox, round by round."""
    kinds: list[str] = arguments.sandboxes.split(",")
    samples: dict[str, list[Sample]] = {kind: [] for kind in kinds}
    rounds = arguments.rounds + 1
    log = Path(tempfile.mkdtemp(prefix="guest-containers-"))
    with house(len(kinds) * rounds) as (address, tokens):
        places = {
            kind: make_sandbox(kind, arguments.image, arguments.python, arguments.steps)
            for kind in kinds
        }
        try:
            for number in range(rounds):
                turn = number % len(kinds)
                for kind in kinds[turn:] + kinds[:turn]:
                    taken = await sample(places[kind], address, tokens.pop(), log / kind)
                    # The first round warms the machine up.
                    if number:
                        samples[kind].append(taken)
        finally:
            for place in places.values():
                await place.close()
            shutil.rmtree(log)
    return samples


def ratios(samples: dict[str, list[Sample]], kind: str, what: str) -> list[float]:
    """Of one measure to that of a plain process in the same round."""
    pairs = zip(samples[kind], samples[PROCESS], strict=True)
    return [getattr(one, what) / getattr(other, what) for one, other in pairs]


def show(samples: dict[str, list[Sample]]) -> None:
    """Prints the table."""
    print(f"{'':8} {'start s':>8} {'imports s':>10} {'wall ms':>8} {'cpu ms':>8}   to a process")
    for kind, taken in samples.items():
        middle = {
            name: statistics.median(getattr(each, name) for each in taken)
            for name in ("start", "imports", "wall", "cpu")
        }
        line = (
            f"{kind:8} {middle['start']:8.2f} {middle['imports']:10.2f}"
            f" {middle['wall']:8.3f} {middle['cpu']:8.3f}"
        )
        if kind != PROCESS and PROCESS in samples:
            for what in ("wall", "cpu"):
                low, half, high = statistics.quantiles(ratios(samples, kind, what), n=4)
                line += f"   {what} ×{half:.3f} ({low:.3f}–{high:.3f})"
        print(line)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sandboxes", default=f"{DOCKER},{PROCESS}")
    parser.add_argument("--image", default="python:3.11-slim-bookworm")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=640)
    parser.add_argument("--json", type=Path, help="where the samples go")
    arguments = parser.parse_args()
    samples = asyncio.run(measure(arguments))
    show(samples)
    if arguments.json is not None:
        table = {kind: [asdict(each) for each in taken] for kind, taken in samples.items()}
        arguments.json.write_text(json.dumps(table, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
