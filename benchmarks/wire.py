"""What a step costs on the wire, in CPU time of client, gateway and worker together.

    python -m benchmarks.wire                 # all of it: about five minutes
    python -m benchmarks.wire --only text     # text, frame, sessions, faults or imports
    python -m benchmarks.wire --json out.json

Contestants take turns in short rounds, so that a change of the machine's speed hits all of
them; the table shows the median over rounds. Every process, the peers' included, runs with
a glibc that keeps freed memory: the service sets this itself, and without it the others would
pay page faults for each picture, which flatters us. "bare" is a gRPC asyncio stream (or unary call)
that carries as many bytes and does nothing; dm-env-rpc and openenv-core are measured as
their users would use them. Wall time is shown for information: these are sequential steps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import children
from benchmarks.faults import inject
from benchmarks.imports import measure_import
from benchmarks.own import Houseguest
from benchmarks.peers.base import Peer, PeerError
from benchmarks.peers.cpu import cpu_seconds
from benchmarks.peers.registry import make_peer
from benchmarks.peers.workload import Frames
from benchmarks.sessions import measure_sessions

SETTLING_SECONDS = 1.0
"""A fresh gRPC server spends some CPU time at first."""

ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(256 << 20)}
"""As env_service.gateway.runtime sets them; read by glibc when a process starts."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a step: medians over rounds."""

    client: float
    server: float
    total: float
    wall: float


def measure(peers: list[Peer], *, frame: bool, rounds: int, steps: int) -> dict[str, Cost]:
    """Lets the peers take turns; a peer that does not come up is left out, with a line."""
    running: list[Peer] = []
    samples: dict[str, list[Cost]] = {}
    with ExitStack() as stack:
        for peer in peers:
            try:
                peer.start(frame)
            except PeerError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            stack.callback(peer.stop)
            running.append(peer)
            peer.steps(max(steps // 2, 20))
        time.sleep(SETTLING_SECONDS)
        for number in range(rounds):
            order = running[number % len(running) :] + running[: number % len(running)]
            for peer in order:
                samples.setdefault(peer.name, []).append(_round(peer, steps))
    return {peer.name: _median(samples[peer.name]) for peer in running}


def _round(peer: Peer, steps: int) -> Cost:
    pids = peer.server_pids()
    server, client, wall = sum(map(cpu_seconds, pids)), time.process_time(), time.perf_counter()
    peer.steps(steps)
    wall = time.perf_counter() - wall
    client = time.process_time() - client
    server = sum(map(cpu_seconds, pids)) - server
    scale = 1000 / steps
    return Cost(client * scale, server * scale, (client + server) * scale, wall * scale)


def _median(costs: list[Cost]) -> Cost:
    columns = zip(*((c.client, c.server, c.total, c.wall) for c in costs), strict=True)
    return Cost(*(round(statistics.median(column), 3) for column in columns))


def sha_milliseconds() -> float:
    """CPU of one SHA-256 of a 512×512 raw frame, median of 200."""
    frames, samples = Frames(), []
    for step in range(200):
        frame = frames.at(step)
        started = time.process_time()
        hashlib.sha256(frame.data).digest()
        samples.append((time.process_time() - started) * 1000)
    return round(statistics.median(samples), 3)


def table(title: str, costs: dict[str, Cost]) -> None:
    """Prints one table."""
    print(f"\n{title} (CPU ms a step)\n{'':22}{'client':>9}{'server':>9}{'total':>9}{'wall':>9}")
    for name, cost in costs.items():
        print(f"{name:22}{cost.client:9.3f}{cost.server:9.3f}{cost.total:9.3f}{cost.wall:9.3f}")


def verdict(what: str, measured: float, bound: float) -> dict[str, Any]:
    """Prints a number and its aim."""
    met = measured <= bound
    print(f"  {what}: {measured:.3f} ms, aim at most {bound:.3f} ms: {'met' if met else 'MISSED'}")
    return {"what": what, "measured_ms": measured, "aim_ms": round(bound, 3), "met": met}


def text(options: argparse.Namespace) -> dict[str, Any]:
    """Text-only steps."""
    peers: list[Peer] = [make_peer("bare_stream"), make_peer("bare_unary")]
    peers += [Houseguest("play"), Houseguest("unary")]
    peers += [make_peer("dm_env_rpc"), make_peer("openenv")]
    costs = measure(peers, frame=False, rounds=options.rounds, steps=options.steps)
    table("text only, about 300 bytes", costs)
    aims = [
        verdict("unary", costs["houseguest unary"].total, costs["bare_unary"].total + 0.4),
        verdict("Play", costs["houseguest play"].total, 0.6),
    ]
    return {"costs": {name: asdict(cost) for name, cost in costs.items()}, "aims": aims}


def frame(options: argparse.Namespace) -> dict[str, Any]:
    """Steps with a 512×512 raw frame."""
    peers: list[Peer] = [make_peer("bare_stream"), Houseguest("play"), Houseguest("unary")]
    peers += [make_peer("dm_env_rpc"), make_peer("openenv"), make_peer("openenv_plain")]
    costs = measure(peers, frame=True, rounds=options.rounds, steps=max(options.steps // 8, 10))
    table("512×512 raw frame, 786,432 bytes", costs)
    sha = sha_milliseconds()
    bare = costs["bare_stream"].total
    print(f"  one SHA-256 of the frame: {sha:.3f} ms")
    aims = [verdict("Play", costs["houseguest play"].total, bare + sha + 0.8)]
    return {
        "costs": {name: asdict(cost) for name, cost in costs.items()},
        "sha_ms": sha,
        "aims": aims,
    }


def sessions(options: argparse.Namespace) -> dict[str, Any]:
    """Eight sessions at once against one: steps for each second of CPU."""
    result: dict[str, Any] = {}
    for kind in ("text", "frame"):
        steps = options.steps if kind == "text" else options.steps // 4
        rounds = [
            {n: measure_sessions(n, frame=kind == "frame", steps=steps) for n in (1, 8)}
            for _ in range(3)
        ]
        single, eight = (statistics.median(each[n] for each in rounds) for n in (1, 8))
        ratio = single / eight
        print(f"\n8 sessions, {kind}: {eight:.3f} ms a step, 1 session {single:.3f} ms:")
        print(f"  efficiency {ratio:.2f} × single, aim at least 0.80")
        result[kind] = {"single_ms": single, "eight_ms": eight, "efficiency": round(ratio, 3)}
    return result


def faults(options: argparse.Namespace) -> dict[str, Any]:
    """2,000 steps with lost answers and early deadlines."""
    del options
    result = inject(steps=2000, lost=0.1, seed=0)
    print(f"\nfault injection: {result}")
    return result


def imports(options: argparse.Namespace) -> dict[str, Any]:
    """What importing the SDK costs."""
    del options
    result = measure_import()
    print(f"\nimport houseguest_agent: {result}")
    return result


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    part.__name__: part for part in (text, frame, sessions, faults, imports)
}


@children.none_left()
def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="may be repeated")
    parser.add_argument("--rounds", type=int, default=9, help="per contestant (default 9)")
    parser.add_argument("--steps", type=int, default=400, help="text steps a round (default 400)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()
    if not ALLOCATOR.items() <= os.environ.items():
        os.execve(sys.executable, [*sys.orig_argv], os.environ | ALLOCATOR)
    cores, load = os.cpu_count(), os.getloadavg()[0]
    print(f"{cores} cores, load {load:.2f}, Python {sys.version.split()[0]}")
    results = {name: PARTS[name](options) for name in options.only or PARTS}
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
