"""What a model guest adds to a turn: everything but the model.

    python -m benchmarks.model_guest              # a table
    python -m benchmarks.model_guest --turns 20   # quicker

A guest in a separate process plays in a real service, against a server that answers every chat
request at once with the same action. What is measured is the CPU time of the guest's process,
all its threads, from one question to the next: prompt, body, HTTP, reading, the SDK's part of
the step. The service's own work, writing the pictures as PNG above all, is measured apart.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel
from model_guest.model import Reply, Request
from model_guest.options import Settings

from benchmarks.children import none_left
from env_service.domain.observation import Channel
from env_service.suites.base import EpisodeOrder
from env_service.wire.images import encode_png
from tests.support.lab import LabEpisode, LabSuite
from tests.support.model_server import MODEL, ModelServer, says
from tests.support.service import open_service

AIM = 15.0
"""CPU milliseconds a turn, with two pictures of SIDE × SIDE passed through."""
SIDE = 1024
TURNS = 60
WARM_UP = 5
KINDS = ("none", "rooms", "noise")
ACTION = json.dumps({"thought": "On I go.", "plan": ["go on"], "action": {"skill": "noop"}})

Pixels = npt.NDArray[np.uint8]


@lru_cache
def pictures(kind: str) -> tuple[Pixels, ...]:
    """Pictures that PNG packs to about a quarter, as it does rendered rooms, or not at all."""
    rng = np.random.default_rng(0)
    if kind == "noise":
        return tuple(rng.integers(0, 256, (SIDE, SIDE, 3), np.uint8) for _ in range(4))
    across = np.linspace(0, 200, SIDE)[None, :, None] + np.linspace(0, 40, SIDE)[:, None, None]
    grain = rng.integers(0, 4, (4, SIDE, SIDE, 1))
    return tuple(np.broadcast_to(across + each, (SIDE, SIDE, 3)).astype(np.uint8) for each in grain)


class PictureEpisode(LabEpisode):
    """A laboratory episode with large pictures."""

    kind = "rooms"

    def _pixels(self, channel: Channel, step: int) -> Pixels:
        del channel
        drawn = pictures(self.kind)
        return drawn[step % len(drawn)].copy()


class NoiseEpisode(PictureEpisode):
    """The same with pictures that no file format makes smaller."""

    kind = "noise"


class RoomsSuite(LabSuite):
    """The laboratory with pictures like rooms."""

    name = "rooms"

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return PictureEpisode(order)


class NoiseSuite(LabSuite):
    """The laboratory with noise."""

    name = "noise"

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return NoiseEpisode(order)


class EnoughError(BaseException):
    """Ends the guest after enough turns."""


class Metered:
    """An endpoint that notes the process's CPU time at each question."""

    def __init__(self, inner: EndpointModel, turns: int) -> None:
        self._inner, self._turns = inner, turns
        self.name, self.sees_pictures = inner.name, inner.sees_pictures
        self.at: list[float] = []

    def configuration(self) -> Mapping[str, str]:
        """The endpoint's."""
        return self._inner.configuration()

    def reply(self, request: Request) -> Reply:
        """Asks the endpoint, and remembers when."""
        self.at.append(time.process_time())
        if len(self.at) > self._turns + WARM_UP:
            raise EnoughError
        return self._inner.reply(request)

    def close(self) -> None:
        """Closes the endpoint."""
        self._inner.close()


def guest(url: str, turns: int) -> None:
    """The measured process. Prints CPU milliseconds, one number a turn."""
    config = EndpointConfig(read_address(url), MODEL)
    model = Metered(EndpointModel(config, lambda _: None), turns)
    try:
        serve("bench", "1", model, Settings())
    except EnoughError:
        pairs = zip(model.at[WARM_UP:], model.at[WARM_UP + 1 :], strict=False)
        print(json.dumps([1000 * (after - before) for before, after in pairs]))


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU milliseconds a turn, and the size of one picture as it travels, in bytes."""

    median: float
    p95: float
    picture: int


def measure(kind: str, turns: int) -> Measured:
    """Plays so many turns with pictures of a kind."""
    suite = "tests.support.lab:LabSuite" if kind == "none" else f"{__name__}:{kind.title()}Suite"
    if __name__ == "__main__":
        suite = suite.replace("__main__", "benchmarks.model_guest")
    condition = {"steps": "1000000"}
    if kind != "none":
        condition |= {"frame": "512", "previous": "on"}
    with open_service() as service, ModelServer(says(ACTION)) as server:
        run = service.open_run(suite, condition=condition, limit=1, agent="bench")
        environment = {
            **os.environ,
            "HOUSEGUEST_ADDRESS": service.address,
            "HOUSEGUEST_TOKEN": service.token(run),
        }
        command = [sys.executable, "-m", "benchmarks.model_guest"]
        command += ["--guest", server.url, "--turns", str(turns)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        shown = server.asked[-1].pictures
    if done.returncode or not done.stdout:
        raise SystemExit(done.stderr)
    times = json.loads(done.stdout)
    p95 = statistics.quantiles(times, n=20)[-1]
    return Measured(statistics.median(times), p95, len(shown[-1]) if shown else 0)


def encoding(kind: str) -> float:
    """CPU milliseconds that the service takes to write one of these pictures as PNG."""
    times = []
    for pixels in pictures(kind) * 5:
        before = time.process_time()
        encode_png(pixels)
        times.append(1000 * (time.process_time() - before))
    return statistics.median(times)


@none_left()
def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--guest", metavar="URL", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.guest:
        guest(arguments.guest, arguments.turns)
        return
    print(f"guest's CPU milliseconds a turn, {arguments.turns} turns (aim: {AIM:g} with rooms)")
    for kind in KINDS:
        found = measure(kind, arguments.turns)
        line = f"{kind:6} median {found.median:6.1f}   95 % {found.p95:6.1f}"
        if kind != "none":
            line += f"   two PNG of {found.picture / 1e6:.2f} MB"
            line += f"   (the service writes one in {encoding(kind):.1f})"
        print(line, flush=True)


if __name__ == "__main__":
    main()
