"""Our own service, measured as the peers are: ``houseguest run`` in a process, the SDK here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from houseguest_agent import Client, Episode, Options

from benchmarks.peers.base import check_step

ROOT = Path(__file__).resolve().parents[1]
LAB = "tests.support.lab:LabSuite"
Transport = Literal["play", "unary"]


class House:
    """A run of the laboratory suite that waits for external agents.

    Everything is on: authentication, state machine, worker process, transcript with its
    chain, and the frame store, on the disk that holds ``tempfile``'s folder.
    """

    def __init__(self, *, frame: bool, sessions: int = 1) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="wire-"))
        command = [sys.executable, "-m", "env_service", "run", "--suite", LAB]
        command += ["--agent", "external", "--json", "--limit", str(sessions)]
        command += ["--parallel", str(sessions), "--out", str(self._folder / "runs")]
        command += ["--set", "steps=1000000", "--set", f"frame={'512' if frame else 'none'}"]
        command += ["--signing-key", str(self._folder / "key.pem")]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if self._process.stdout is None:
            raise RuntimeError("the service has no standard output")
        launch: dict[str, Any] = json.loads(self._process.stdout.readline())
        self.address: str = launch["address"]
        self.tokens: list[str] = launch["tokens"]

    def pids(self) -> list[int]:
        """The gateway first, then its workers; not the packer, which has idle time only."""
        return [self._process.pid, *(pid for pid in self._children() if not _is_packer(pid))]

    def packer_pids(self) -> list[int]:
        """The process that packs pictures, where there are any."""
        return list(filter(_is_packer, self._children()))

    def _children(self) -> list[int]:
        tasks = Path(f"/proc/{self._process.pid}/task")
        children = [file.read_text().split() for file in tasks.glob("*/children")]
        return [int(pid) for pids in children for pid in pids]

    def stop(self) -> None:
        """Waits for the run to end by itself, then removes its folder."""
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder)


def _is_packer(pid: int) -> bool:
    return b"env_service.results.packer" in Path(f"/proc/{pid}/cmdline").read_bytes()


class Houseguest:
    """A Peer (see benchmarks.peers.base): our service over a Unix socket, through the SDK."""

    def __init__(self, transport: Transport) -> None:
        self.name = f"houseguest {transport}"
        self._transport = transport
        self._house: House | None = None
        self._client: Client | None = None
        self._episode: Episode | None = None
        self._taken = 0

    def start(self, frame: bool) -> None:
        """Starts the service and begins an episode."""
        self._house = House(frame=frame)
        options = Options(
            address=self._house.address,
            token=self._house.tokens[0],
            transport=self._transport,
        )
        self._client = Client("wire", options=options)
        self._episode = next(self._client.episodes())
        self._taken = 0

    def server_pids(self) -> list[int]:
        """Gateway and worker."""
        return self._house.pids() if self._house else []

    def packer_pids(self) -> list[int]:
        """The process that packs pictures."""
        return self._house.packer_pids() if self._house else []

    def steps(self, n: int) -> None:
        """Takes ``n`` steps; with a picture, each is unpacked to an array."""
        episode = self._episode
        if episode is None:
            raise RuntimeError("not started")
        for _ in range(n):
            step = episode.act("noop")
            if step.observation.images:
                step.observation.image.pixels  # noqa: B018 - an agent would look at it
        self._taken += n
        check_step(self.name, self._taken, int(episode.observation.text.rsplit(" ", 1)[1]))

    def stop(self) -> None:
        """Ends the episode, and with it the run."""
        if self._episode is not None:
            self._episode.act("win")
        if self._client is not None:
            for _ in self._client.episodes():
                raise RuntimeError("the run should be over")
            self._client.close()
        if self._house is not None:
            self._house.stop()
