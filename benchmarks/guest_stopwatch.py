"""A guest that times itself, for benchmarks.guest_containers: plays some steps, prints one line.

Times are of the clock that all processes of a machine share, containers included.
"""

import time

AWAKE = time.monotonic()

import json  # noqa: E402 - imports are what is timed here
import os  # noqa: E402
import statistics  # noqa: E402

from houseguest_agent import Client  # noqa: E402

IMPORTED = time.monotonic()

WARMING = 64
"""Steps that are not counted."""


def main() -> None:
    """Plays as many steps as BENCH_STEPS says, after WARMING."""
    wanted = int(os.environ["BENCH_STEPS"]) + WARMING
    walls: list[float] = []
    first = cpu = 0.0
    with Client("stopwatch") as client:
        for episode in client.episodes():
            while episode.running and len(walls) < wanted:
                began = time.monotonic()
                episode.act("left" if len(walls) % 2 else "right")
                ended = time.monotonic()
                first = first or ended
                walls.append(ended - began)
                if len(walls) == WARMING:
                    cpu = time.process_time()
            if len(walls) >= wanted:
                break
    spent = time.process_time() - cpu
    counted = walls[WARMING:]
    print(
        json.dumps(
            {
                "awake": AWAKE,
                "imported": IMPORTED,
                "first_step": first,
                "wall": statistics.median(counted) * 1e3,
                "cpu": spent / len(counted) * 1e3,
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
