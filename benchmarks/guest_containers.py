"""What it costs a guest to play from a container: its start, and each of its steps.

    python -m benchmarks.guest_containers                 # two minutes
    python -m benchmarks.guest_containers --sandboxes docker,process,bwrap --json out.json

Needs a Docker engine with the image ``--image``. So that nothing but the sandbox differs, every
guest is the same script with the same packages, those of this environment, which are mounted into
the container; and ``--python`` should be the Python that the image has.

``start`` is the time from asking for a guest to the answer to its first step, without the time of
its imports: the median over some guests. Then guests play BabyAI, one of each kind at a time, and
others after them, since no two processes are equally fast. They take turns with short blocks of
steps, in an order that changes, so that a change of the machine's speed hits all. ``wall`` (the
median step of a block) and ``cpu`` are milliseconds a step as the guest sees them: medians over
blocks, and of the ratio to a plain process's block of the same round, with a 95 % interval for that
median.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from benchmarks import children
from env_service.sandbox.agents import AgentCommand, AgentImage
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.interface import AgentStart, RunningAgent, Sandbox
from env_service.sandbox.options import DOCKER, PROCESS, ReadOnlyMount, SandboxOptions

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {
    "/mnt/packages": Path(sysconfig.get_paths()["purelib"]),
    "/mnt/proto": ROOT / "proto" / "python" / "src",
    "/mnt/sdk": ROOT / "agents" / "sdk_python" / "src",
}
BENCH = {"/mnt/bench": ROOT / "benchmarks"}
"""What guests read, and where they find it in a container."""
SCRIPT = "guest_stopwatch.py"
TURN = "turn"


@dataclass(frozen=True, slots=True)
class Player:
    """One kind of sandbox, and what was measured in it."""

    kind: str
    sandbox: Sandbox
    starts: list[float] = field(default_factory=list)
    imports: list[float] = field(default_factory=list)
    blocks: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """The service that plays, and the folder with the file that says whose turn it is."""

    address: str
    tokens: list[str]
    folder: Path

    def give_turn(self, kind: str, number: int) -> None:
        """Says whose turn it is; a negative number ends all guests."""
        ready = self.folder / "next"
        ready.write_text(f"{kind} {number}", encoding="ascii")
        ready.replace(self.folder / TURN)


@contextmanager
def service(seats: int) -> Iterator[Place]:
    """A run of BabyAI that waits for agents."""
    folder = Path(tempfile.mkdtemp(prefix="guest-containers-"))
    folder.chmod(0o755)
    command = ["-m", "env_service", "run", "--suite", "babyai", "--json"]
    command += ["--tasks", "GoToLocal", "--repeats", "400", "--agent", "external"]
    command += ["--parallel", str(seats), "--out", str(folder / "runs")]
    command += ["--signing-key", str(folder / "key.pem")]
    process = children.start(*command)
    try:
        if process.stdout is None:
            raise RuntimeError("the service has no standard output")
        launch: dict[str, Any] = json.loads(process.stdout.readline())
        turns = folder / "turns"
        turns.mkdir()
        yield Place(launch["address"], launch["tokens"], turns)
    finally:
        children.end(process)
        shutil.rmtree(folder)


def make_player(kind: str, arguments: argparse.Namespace, folder: Path) -> Player:
    """A sandbox of that kind for the guest that times itself."""
    inside = kind == DOCKER
    found = {**PACKAGES, **BENCH, "/mnt/turns": folder}
    at = {place if inside else str(source): source for place, source in found.items()}
    *packages, bench, turns = at
    options = SandboxOptions(
        kind=kind,
        mounts=()
        if kind == PROCESS
        else tuple(ReadOnlyMount(source, PurePosixPath(place)) for place, source in at.items()),
        environment={
            "PYTHONPATH": ":".join(packages),
            "PYTHONDONTWRITEBYTECODE": "1",
            "BENCH_STEPS": str(arguments.steps),
            "BENCH_TURN": f"{turns}/{TURN}",
            "BENCH_NAME": kind,
        },
    )
    script = f"{bench}/{SCRIPT}"
    if inside:
        return Player(kind, open_sandbox(AgentImage(arguments.image, ("python3", script)), options))
    return Player(kind, open_sandbox(AgentCommand((arguments.python, script)), options))


async def start(player: Player, place: Place, log: Path) -> RunningAgent:
    """A guest that has taken its first step; notes how long that took. ``log`` is a new file."""
    asked = time.monotonic()
    guest = await player.sandbox.start(AgentStart(place.address, (place.tokens.pop(),), 0), log)
    told = await next_line(guest, log, 1)
    imports = told["imported"] - told["awake"]
    player.starts.append(told["first_step"] - asked - imports)
    player.imports.append(imports)
    return guest


async def next_line(guest: RunningAgent, log: Path, number: int) -> dict[str, float]:
    """The line of that number, once it is written. Raises RuntimeError where the guest ended."""
    ended = asyncio.ensure_future(guest.wait())
    try:
        while True:
            if (line := read_line(log, number)) is not None:
                return line
            if ended.done():
                raise RuntimeError(f"the guest ended: {ended.result()}: {guest.log_tail()}")
            await asyncio.sleep(0.005)
    finally:
        ended.cancel()


def read_line(log: Path, number: int) -> dict[str, float] | None:
    """The line of that number; None where it is not whole yet."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    if len(lines) < number or not lines[number - 1].endswith("\n"):
        return None
    line: dict[str, float] = json.loads(lines[number - 1])
    return line


async def measure(arguments: argparse.Namespace) -> list[Player]:
    """All that was measured."""
    kinds: list[str] = arguments.sandboxes.split(",")
    with service(len(kinds) * (arguments.starts + arguments.guests)) as place:
        players = [make_player(kind, arguments, place.folder) for kind in kinds]
        try:
            place.give_turn("nobody", 0)
            for number in range(arguments.starts):
                for player in players:
                    log = place.folder / f"{player.kind}-{number}"
                    guest = await start(player, place, log)
                    await guest.stop()
            for number in range(arguments.guests):
                await play(players, place, arguments.rounds, number)
        finally:
            for player in players:
                await player.sandbox.close()
    return players


async def play(players: list[Player], place: Place, rounds: int, guest: int) -> None:
    """Has one guest of each kind take turns."""
    place.give_turn("nobody", 0)
    logs = {player.kind: place.folder / f"{player.kind}-plays-{guest}" for player in players}
    guests = {player.kind: await start(player, place, logs[player.kind]) for player in players}
    for number in range(1, rounds + 3):
        turn = number % len(players)
        for player in players[turn:] + players[:turn]:
            place.give_turn(player.kind, number)
            told = await next_line(guests[player.kind], logs[player.kind], number + 1)
            # The first rounds warm everything up.
            if number > 2:
                player.blocks.append(told)
    for each in guests.values():
        await each.stop()


def interval(ratios: list[float]) -> str:
    """The median, and its 95 % bootstrap interval."""
    drawn = np.random.default_rng(0).choice(ratios, (4000, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return f"×{statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})"


def show(players: list[Player]) -> None:
    """Prints the table."""
    plain = next((player for player in players if player.kind == PROCESS), None)
    print(f"{'':8} {'start s':>8} {'imports s':>10} {'wall ms':>8} {'cpu ms':>8}")
    for player in players:
        start_, imports = statistics.median(player.starts), statistics.median(player.imports)
        wall, cpu = (statistics.median(each[what] for each in player.blocks) for what in MEASURES)
        print(f"{player.kind:8} {start_:8.2f} {imports:10.2f} {wall:8.3f} {cpu:8.3f}")
    for player in players:
        if plain is not None and player is not plain:
            for what in MEASURES:
                pairs = zip(player.blocks, plain.blocks, strict=True)
                print(f"{player.kind}, {what}: {interval([a[what] / b[what] for a, b in pairs])}")


MEASURES = ("wall", "cpu")


@children.none_left()
def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sandboxes", default=f"{DOCKER},{PROCESS}")
    parser.add_argument("--image", default="python:3.11-slim-bookworm")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--starts", type=int, default=8, help="guests that only start")
    parser.add_argument("--guests", type=int, default=6, help="guests of each kind that play")
    parser.add_argument("--rounds", type=int, default=50, help="blocks of each guest")
    parser.add_argument("--steps", type=int, default=48, help="in a block")
    parser.add_argument("--json", type=Path, help="where all that was measured goes")
    arguments = parser.parse_args()
    players = asyncio.run(measure(arguments))
    show(players)
    if arguments.json is not None:
        names = ("starts", "imports", "blocks")
        table = {each.kind: {name: getattr(each, name) for name in names} for each in players}
        arguments.json.write_text(json.dumps(table, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
