"""Does an agent's process always end? Hundreds of exits, in every way a program can leave.

    python -m benchmarks.exits                          # 300 exits, about ten minutes
    python -m benchmarks.exits --exits 50 --ways error interrupt

Each agent is a separate process that plays some steps through the Python SDK against a real
service, and then leaves: see ``benchmarks/exiting_client.py`` for the ways. Busy processes keep the
cores occupied meanwhile. An agent that is still there after ``--patience`` seconds hangs; the
stacks of its threads go to standard error. Ends with status 1 if one hung, or ended with another
status than its way of leaving has.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks import children
from benchmarks.exiting_client import SIGNALS, STATUSES, WAYS
from benchmarks.own import LabService

BATCH = 20
"""Agents that one service plays with."""

T = TypeVar("T")
_BUSY = "while True: pass"


@dataclass(slots=True)
class Tally:
    """What became of the exits of one kind. ``slowest`` in seconds, from the agent's last word."""

    exits: int = 0
    hung: int = 0
    wrong: int = 0
    slowest: float = 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """A way of leaving, and the transport before it."""

    way: str
    transport: str


def play(kinds: list[Kind], options: argparse.Namespace) -> dict[Kind, Tally]:
    """Lets agents of these kinds play and leave."""
    tallies = {kind: Tally() for kind in kinds}
    with ExitStack() as stack:
        for _ in range(options.busy):
            stack.callback(children.end, children.start("-c", _BUSY))
        turns = list(itertools.islice(itertools.cycle(kinds), options.exits))
        for batch in _cut(turns, BATCH):
            _play_batch(batch, tallies, options)
            done = sum(tally.exits for tally in tallies.values())
            hung = sum(tally.hung for tally in tallies.values())
            print(f"{done} exits, {hung} hung", file=sys.stderr, flush=True)
    return tallies


def _play_batch(batch: list[Kind], tallies: dict[Kind, Tally], options: argparse.Namespace) -> None:
    service = LabService(frame=False, sessions=len(batch))
    try:
        for wave in _cut(list(zip(batch, service.tokens, strict=True)), options.parallel):
            with ExitStack() as stack:
                agents = [
                    (kind, _start(kind, service.address, token, options)) for kind, token in wave
                ]
                for _, agent in agents:
                    stack.callback(children.end, agent)
                for kind, agent in agents:
                    _await_end(kind, agent, tallies[kind], options.patience)
    finally:
        service.end()


def _start(
    kind: Kind, address: str, token: str, options: argparse.Namespace
) -> subprocess.Popen[str]:
    words = ["-X", "faulthandler", "-m", "benchmarks.exiting_client", kind.way, kind.transport]
    words += [address, token, str(options.steps), str(options.switch)]
    return children.start(*words, stderr=subprocess.PIPE)


def _await_end(kind: Kind, agent: subprocess.Popen[str], tally: Tally, patience: float) -> None:
    if agent.stdout is None or agent.stdout.readline() != "leaving\n":
        _, said = agent.communicate()
        raise RuntimeError(f"an agent ended before it could leave:\n{said}")
    if kind.way in SIGNALS:
        agent.send_signal(SIGNALS[kind.way])
    tally.exits += 1
    started = time.monotonic()
    try:
        _, said = agent.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        tally.hung += 1
        # The fault handler answers with the stacks of all threads.
        agent.send_signal(signal.SIGABRT)
        _, said = agent.communicate()
        print(f"{kind.way} over {kind.transport} hung:\n{said}", file=sys.stderr, flush=True)
        return
    tally.slowest = max(tally.slowest, time.monotonic() - started)
    expected = STATUSES.get(kind.way, 0)
    if agent.returncode != expected:
        tally.wrong += 1
        print(f"{kind.way}: status {agent.returncode}, not {expected}:\n{said}", file=sys.stderr)


def _cut(things: list[T], size: int) -> Iterator[list[T]]:
    return (things[start : start + size] for start in range(0, len(things), size))


def show(tallies: dict[Kind, Tally]) -> None:
    """Prints a table."""
    print(f"{'way':16}{'transport':12}{'exits':>6}{'hung':>6}{'wrong':>7}{'slowest':>10}")
    for kind, tally in tallies.items():
        counts = f"{tally.exits:6}{tally.hung:6}{tally.wrong:7}{tally.slowest:8.1f} s"
        print(f"{kind.way:16}{kind.transport:12}{counts}")


@children.none_left()
def main() -> int:
    """Plays and prints; the exit status."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    cores = os.cpu_count() or 1
    parser.add_argument("--exits", type=int, default=300, help="of all kinds together (300)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument(
        "--transports", nargs="+", choices=("play", "unary"), default=["play", "unary"]
    )
    parser.add_argument("--steps", type=int, default=300, help="before leaving (300)")
    parser.add_argument("--parallel", type=int, default=cores, help="agents at once (cores)")
    parser.add_argument("--busy", type=int, default=cores, help="other busy processes (cores)")
    parser.add_argument(
        "--switch",
        type=float,
        default=sys.getswitchinterval(),
        help="seconds after which an agent's threads take turns; small ones collide more often"
        " (%(default)g)",
    )
    parser.add_argument("--patience", type=float, default=60.0, help="seconds to end in (60)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    kinds = [Kind(way, each) for way in options.ways for each in options.transports]
    started = time.monotonic()
    tallies = play(kinds, options)
    show(tallies)
    exits, hung, wrong = (
        sum(getattr(tally, name) for tally in tallies.values())
        for name in ("exits", "hung", "wrong")
    )
    seconds = time.monotonic() - started
    print(f"{exits} exits in {seconds:.0f} s: {hung} hung, {wrong} ended with another status")
    if options.json:
        rows = [asdict(kind) | asdict(tally) for kind, tally in tallies.items()]
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 1 if hung or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
