"""dm_env_rpc: its Process stream between its dm_env adaptor and a server like its examples'.

A blocking server with one thread a connection, its own tensor packing on both ends, and the
package's helpers to connect, create, join and step. Its connection has no message cap, by
design.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dm_env  # type: ignore[import-untyped]
import grpc
import numpy as np
from dm_env import specs
from dm_env_rpc.v1 import (  # type: ignore[import-untyped]
    connection,
    dm_env_adaptor,
    dm_env_rpc_pb2,
    dm_env_rpc_pb2_grpc,
    dm_env_utils,
    spec_manager,
)

from benchmarks.peers import workload
from benchmarks.peers.base import MESSAGE_CAP, check_step
from benchmarks.peers.server_process import ServerProcess
from benchmarks.peers.serving import Leash, Variant

_MODULE = "benchmarks.peers.dm_env_rpc_stream"
_WORLD = "home"
_CONNECT_SECONDS = 10.0
_ACTION = specs.DiscreteArray(num_values=8, dtype=np.int32, name="action")
_TEXT = specs.StringArray(shape=(), name="text")
_FRAME = specs.Array(shape=workload.FRAME_SHAPE, dtype=np.uint8, name="frame")


class DmEnvRpc:
    """A Peer."""

    name = "dm_env_rpc"

    def start(self, frame: bool) -> None:
        self._frame = frame
        self._server = ServerProcess(_MODULE, frame=frame)
        with self._server.stopped_on_error():
            self._connection = connection.create_secure_channel_and_connect(
                self._server.address,
                grpc.local_channel_credentials(grpc.LocalConnectionType.UDS),
                timeout=_CONNECT_SECONDS,
            )
            self._env, _ = dm_env_adaptor.create_and_join_world(self._connection, {}, {})
            self._env.reset()
        self._taken = 0

    def server_pids(self) -> list[int]:
        return [self._server.pid]

    def steps(self, n: int) -> None:
        action = {_ACTION.name: 1}
        for _ in range(n):
            shown: dm_env.TimeStep = self._env.step(action)
        self._taken += n
        check_step(self.name, self._taken, self._step_of(shown.observation))

    def stop(self) -> None:
        try:
            self._env.close()
            self._connection.close()
        finally:
            self._server.stop()

    def _step_of(self, observation: dict[str, Any]) -> int:
        if self._frame:
            return workload.step_of_frame(observation[_FRAME.name])
        return workload.step_of_text(str(observation[_TEXT.name]))


class _Home(dm_env_rpc_pb2_grpc.EnvironmentServicer):  # type: ignore[misc]
    """One world, which one agent at a time joins. Step 0 is what a reset shows."""

    def __init__(self, *, frame: bool) -> None:
        observation = _FRAME if frame else _TEXT
        self._specs = dm_env_rpc_pb2.ActionObservationSpecs(
            actions={1: dm_env_utils.dm_env_spec_to_tensor_spec(_ACTION)},
            observations={1: dm_env_utils.dm_env_spec_to_tensor_spec(observation)},
        )
        self._actions = spec_manager.SpecManager(self._specs.actions)
        self._observations = spec_manager.SpecManager(self._specs.observations)
        self._frames = workload.Frames() if frame else None
        self._step = 0

    def Process(self, request_iterator: Iterator[Any], context: grpc.ServicerContext) -> Any:  # noqa: N802 (its name)
        """Answers each request in turn."""
        for request in request_iterator:
            kind = request.WhichOneof("payload")
            response = dm_env_rpc_pb2.EnvironmentResponse()
            getattr(response, kind).SetInParent()
            match kind:
                case "create_world":
                    response.create_world.world_name = _WORLD
                case "join_world":
                    response.join_world.specs.CopyFrom(self._specs)
                case "reset":
                    self._step = 0
                    response.reset.specs.CopyFrom(self._specs)
                case "step":
                    self._answer_step(request.step, response.step)
                case "leave_world" | "destroy_world":
                    pass
                case _:
                    context.abort(grpc.StatusCode.UNIMPLEMENTED, f"{kind} is not served")
            yield response

    def _answer_step(self, request: Any, response: Any) -> None:
        if self._actions.unpack(request.actions):  # the first step after a reset has none
            self._step += 1
        packed = self._observations.pack(self._observe())
        response.state = dm_env_rpc_pb2.EnvironmentStateType.RUNNING
        for uid in request.requested_observations:
            response.observations[uid].CopyFrom(packed[uid])

    def _observe(self) -> dict[str, Any]:
        if self._frames is None:
            return {_TEXT.name: workload.text(self._step)}
        return {_FRAME.name: self._frames.at(self._step)}


def _serve(*, frame: bool) -> None:
    leash = Leash()
    server = grpc.server(
        ThreadPoolExecutor(max_workers=1),
        options=(
            ("grpc.max_receive_message_length", MESSAGE_CAP),
            ("grpc.max_send_message_length", MESSAGE_CAP),
        ),
    )
    dm_env_rpc_pb2_grpc.add_EnvironmentServicer_to_server(_Home(frame=frame), server)
    credentials = grpc.local_server_credentials(grpc.LocalConnectionType.UDS)
    server.add_secure_port(leash.socket_address(), credentials)
    server.start()
    leash.announce(leash.socket_address())
    server.wait_for_termination()


if __name__ == "__main__":
    _serve(frame=Variant.from_command_line(_MODULE).frame)
