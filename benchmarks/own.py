"""Our service, measured as the peers are: ``houseguest run`` in a process, the SDK here."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from houseguest_agent import Client, Episode, Options, RetryPolicy

from benchmarks import children
from benchmarks.peers.base import check_step

LAB = "tests.support.lab:LabSuite"
Transport = Literal["play", "unary"]
IMPATIENT = RetryPolicy(patience=5.0)
"""A service on the same machine answers sooner, or is gone."""


class LabService:
    """A run of the laboratory suite that waits for external agents.

    Everything is on: authentication, state machine, worker process, transcript with its
    chain, and the frame store, on the disk that holds ``tempfile``'s folder. Leaving the ``with``
    block waits for the run to end by itself, or ends it at once when an exception leaves the block.
    """

    def __init__(self, *, frame: bool, sessions: int = 1, listen: str = "") -> None:
        """``listen``: where agents call, ``host:port``; empty for a Unix socket."""
        self._folder = Path(tempfile.mkdtemp(prefix="wire-"))
        command = ["-m", "env_service", "run", "--suite", LAB]
        command += ["--agent", "external", "--json", "--limit", str(sessions)]
        command += ["--parallel", str(sessions), "--out", str(self._folder / "runs")]
        command += ["--set", "steps=1000000", "--set", f"frame={'512' if frame else 'none'}"]
        command += ["--signing-key", str(self._folder / "key.pem")]
        command += ["--listen", listen] if listen else []
        self._process = children.start(*command)
        try:
            launch = self._launch()
        except BaseException:
            self.end()
            raise
        self.address: str = launch["address"]
        self.tokens: list[str] = launch["tokens"]

    def _launch(self) -> dict[str, Any]:
        """What the service says once it listens."""
        if self._process.stdout is None:
            raise RuntimeError("the service has no standard output")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the service ended before it listened; standard error says why")
        launch: dict[str, Any] = json.loads(line)
        return launch

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.end()

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
        """Waits for the run to end by itself, 30 s at most, then removes its folder."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self.end()

    def end(self) -> None:
        """Ends the run if it still runs, and removes its folder."""
        children.end(self._process)
        shutil.rmtree(self._folder)


def _is_packer(pid: int) -> bool:
    return b"env_service.results.frame_packer" in Path(f"/proc/{pid}/cmdline").read_bytes()


class Houseguest:
    """A Peer (see benchmarks.peers.base): our service over a Unix socket, through the SDK."""

    def __init__(self, transport: Transport) -> None:
        self.name = f"houseguest {transport}"
        self._transport = transport
        self._service: LabService | None = None
        self._client: Client | None = None
        self._episode: Episode | None = None
        self._taken = 0

    def start(self, frame: bool) -> None:
        """Starts the service and begins an episode."""
        service = LabService(frame=frame)
        options = Options(
            address=service.address,
            token=service.tokens[0],
            transport=self._transport,
            retry=IMPATIENT,
        )
        client = Client("wire", options=options)
        try:
            self._episode = next(client.episodes())
        except BaseException:
            client.close()
            service.end()
            raise
        self._service, self._client, self._taken = service, client, 0

    def server_pids(self) -> list[int]:
        """Gateway and worker."""
        return self._service.pids() if self._service else []

    def packer_pids(self) -> list[int]:
        """The process that packs pictures."""
        return self._service.packer_pids() if self._service else []

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
        service, self._service = self._service, None
        client, self._client = self._client, None
        episode, self._episode = self._episode, None
        with service or contextlib.nullcontext(), client or contextlib.nullcontext():
            if episode is not None:
                episode.act("win")
            if client is not None and any(True for _ in client.episodes()):
                raise RuntimeError("the run should be over")
