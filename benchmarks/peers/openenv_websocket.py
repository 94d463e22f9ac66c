"""OpenEnv: its WebSocket server under uvicorn and its own client, as its template sets them up.

Everything is JSON there. A numpy array in an observation cannot be serialized, nor can bytes
that are not UTF-8, so a picture travels as base64 of its raw pixels, which costs less than a
list of numbers. The package's client takes no Unix socket: loopback TCP.

Two peers. ``openenv`` compresses its messages: uvicorn and the client's websockets do so by
default, and the package does not change that. ``openenv_plain`` has uvicorn's
compression switched off, which is what someone who looked at the cost of pictures would do.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from typing import Any

import numpy as np
import uvicorn
from openenv.core import EnvClient  # type: ignore[import-untyped]
from openenv.core.client_types import StepResult  # type: ignore[import-untyped]
from openenv.core.env_server.http_server import create_app  # type: ignore[import-untyped]
from openenv.core.env_server.interfaces import Environment  # type: ignore[import-untyped]
from openenv.core.env_server.types import (  # type: ignore[import-untyped]
    Action,
    Observation,
    State,
)

from benchmarks.peers import workload
from benchmarks.peers.base import MESSAGE_CAP, check_step
from benchmarks.peers.server_process import ServerProcess
from benchmarks.peers.serving import Leash, Variant

_MODULE = "benchmarks.peers.openenv_websocket"


class HomeAction(Action):  # type: ignore[misc]
    """One skill."""

    skill: str


class HomeObservation(Observation):  # type: ignore[misc]
    """Text, or a picture: base64 of its raw pixels, row by row."""

    text: str = ""
    pixels: str = ""


class HomeEnv(EnvClient):  # type: ignore[misc]
    """The client, as the package's template writes one."""

    def _step_payload(self, action: HomeAction) -> dict[str, Any]:
        return {"skill": action.skill}

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        observation = payload.get("observation", {})
        shown = HomeObservation(
            text=observation.get("text", ""),
            pixels=observation.get("pixels", ""),
            done=payload.get("done", False),
            reward=payload.get("reward"),
        )
        return StepResult(observation=shown, reward=shown.reward, done=shown.done)

    def _parse_state(self, payload: dict[str, Any]) -> Any:
        return State(**payload)


class OpenEnv:
    """A Peer. The client is asyncio, the default, on a separate loop."""

    name = "openenv"
    _compression = True

    def start(self, frame: bool) -> None:
        self._frame = frame
        self._server = ServerProcess(_MODULE, frame=frame, compression=self._compression)
        self._taken = 0
        self._runner = asyncio.Runner()
        self._client = HomeEnv(self._server.address, max_message_size_mb=MESSAGE_CAP / 2**20)
        with self._server.stopped_on_error():
            self._runner.run(self._client.reset())

    def server_pids(self) -> list[int]:
        return [self._server.pid]

    def steps(self, n: int) -> None:
        step = self._runner.run(self._drive(n))
        self._taken += n
        check_step(self.name, self._taken, step)

    def stop(self) -> None:
        # The server first: it logs an exception when a client takes its leave.
        self._server.stop()
        self._runner.run(self._client.close())
        self._runner.close()

    async def _drive(self, n: int) -> int:
        action = HomeAction(skill="MoveAhead")
        step = 0
        for _ in range(n):
            result = await self._client.step(action)
            step = self._look(result.observation)
        return step

    def _look(self, observation: Any) -> int:
        if not self._frame:
            return workload.step_of_text(observation.text)
        pixels = np.frombuffer(base64.b64decode(observation.pixels), np.uint8)
        return workload.step_of_frame(pixels.reshape(workload.FRAME_SHAPE))


class PlainOpenEnv(OpenEnv):
    """The same without compression of messages."""

    name = "openenv_plain"
    _compression = False


class _Home(Environment):  # type: ignore[misc]
    """Step 0 is what a reset shows."""

    def __init__(self, *, frame: bool) -> None:
        super().__init__()
        self._frames = workload.Frames() if frame else None
        self._state = State(step_count=0)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **_settings: Any
    ) -> HomeObservation:
        """Starts over; the seed makes no difference."""
        del seed
        self._state = State(episode_id=episode_id, step_count=0)
        return self._observe()

    def step(
        self, action: HomeAction, timeout_s: float | None = None, **_settings: Any
    ) -> HomeObservation:
        """Counts the step; neither the action nor the time limit makes a difference."""
        del action, timeout_s
        self._state.step_count += 1
        return self._observe()

    @property
    def state(self) -> Any:
        """The episode and its steps so far."""
        return self._state

    def _observe(self) -> HomeObservation:
        step = self._state.step_count
        if self._frames is None:
            return HomeObservation(text=workload.text(step), reward=0.0)
        pixels = base64.b64encode(self._frames.at(step).data).decode("ascii")
        return HomeObservation(pixels=pixels, reward=0.0)


def _serve(variant: Variant) -> None:
    leash = Leash()
    app = create_app(
        lambda: _Home(frame=variant.frame), HomeAction, HomeObservation, env_name="home"
    )
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws_max_size=MESSAGE_CAP,
        ws_per_message_deflate=variant.compression,
    )
    # Connections queue at the socket until the loop runs.
    leash.announce(f"http://127.0.0.1:{listener.getsockname()[1]}")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    _serve(Variant.from_command_line(_MODULE))
