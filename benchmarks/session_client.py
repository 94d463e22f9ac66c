"""One agent of several: warms up, says "ready", waits for a line, takes its steps.

    python -m benchmarks.session_client ADDRESS TOKEN STEPS

Prints the CPU seconds that the steps cost it. Used by benchmarks/wire.py.
"""

from __future__ import annotations

import sys
import time

from houseguest_agent import Client, Options

from benchmarks.own import IMPATIENT

WARM_UP = 100


def main() -> None:
    """Plays one episode."""
    address, token, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    options = Options(address=address, token=token, retry=IMPATIENT)
    with Client("wire", options=options) as client:
        for episode in client.episodes():
            for _ in range(WARM_UP):
                episode.act("noop")
            print("ready", flush=True)
            sys.stdin.readline()
            started = time.process_time()
            for _ in range(steps):
                episode.act("noop")
            print(time.process_time() - started, flush=True)
            sys.stdin.readline()
            episode.act("win")


if __name__ == "__main__":
    main()
