"""Shows that each peer works, and about what it costs: python -m benchmarks.peers.check

Fifty steps say little about CPU time on a busy machine; benchmarks/wire.py measures.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from benchmarks.children import none_left
from benchmarks.peers.cpu import cpu_seconds
from benchmarks.peers.registry import PEER_NAMES, make_peer

_WARM_UP = 10
_SETTLE_SECONDS = 0.5
"""An asyncio gRPC server still spends CPU time for some tenths of a second after its start, which
would count as that of the first steps."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a step."""

    wall: float
    client: float
    server: float


def measure(name: str, frame: bool, steps: int) -> Cost:
    """Takes ``steps`` steps with a peer, after a few to warm up. Raises PeerError."""
    peer = make_peer(name)
    peer.start(frame)
    try:
        peer.steps(_WARM_UP)
        time.sleep(_SETTLE_SECONDS)
        before = _clocks(peer.server_pids())
        peer.steps(steps)
        after = _clocks(peer.server_pids())
    finally:
        peer.stop()
    return Cost(*(1000 * (b - a) / steps for a, b in zip(before, after, strict=True)))


def _clocks(servers: list[int]) -> tuple[float, float, float]:
    return time.perf_counter(), time.process_time(), sum(map(cpu_seconds, servers))


@none_left()
def main() -> None:
    """Prints one line for each peer and variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("peers", nargs="*", default=PEER_NAMES, help="default: all")
    arguments = parser.parse_args()
    print(f"{'ms a step':<14} {'':<6} {'wall':>8} {'client CPU':>11} {'server CPU':>11}")
    # A client process for each, so that none pays for what another one left running.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as clients:
        for name in arguments.peers:
            for frame in (False, True):
                cost = clients.submit(measure, name, frame, arguments.steps).result()
                variant = "frame" if frame else "text"
                print(
                    f"{name:<14} {variant:<6} {cost.wall:8.3f} {cost.client:11.3f}"
                    f" {cost.server:11.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
