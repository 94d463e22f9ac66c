"""A guest that times itself, for benchmarks.guest_containers: plays a block of steps whenever it is
its turn, and prints a line for each.

Times are of the clock that all processes of a machine share, containers included.
"""

import time

AWAKE = time.monotonic()

import json  # noqa: E402 - imports are what is timed here
import os  # noqa: E402
import statistics  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

from houseguest_agent import Client, Episode  # noqa: E402

IMPORTED = time.monotonic()


def endless(client: Client) -> Iterator[Episode]:
    """The open episode, again and again; another one when it has ended."""
    for episode in client.episodes():
        while episode.running:
            yield episode


def main() -> None:
    """Plays a first step at once, then blocks of BENCH_STEPS steps.

    The file BENCH_TURN says ``NAME NUMBER``: which guest plays its block of that number. Ends at a
    number that is not above 0.
    """
    turn, name = Path(os.environ["BENCH_TURN"]), os.environ["BENCH_NAME"]
    size = int(os.environ["BENCH_STEPS"])
    done = 0
    with Client("stopwatch") as client:
        episodes = endless(client)
        next(episodes).act("left")
        told = {"first_step": time.monotonic(), "awake": AWAKE, "imported": IMPORTED}
        print(json.dumps(told), flush=True)
        while True:
            whose, number = turn.read_text(encoding="ascii").split()
            if int(number) < 0:
                return
            if whose != name or int(number) <= done:
                time.sleep(0.002)
                continue
            done = int(number)
            walls, cpu = [], time.process_time()
            for step in range(size):
                episode = next(episodes)
                began = time.monotonic()
                episode.act("left" if step % 2 else "right")
                walls.append(time.monotonic() - began)
            cpu = time.process_time() - cpu
            told = {"wall": statistics.median(walls) * 1e3, "cpu": cpu / size * 1e3}
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
