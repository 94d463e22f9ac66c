"""Bare gRPC: one asyncio stream, identity serializers, prebuilt answers. The floor for ours."""

from __future__ import annotations

import asyncio
from itertools import cycle
from typing import Any

import grpc

from benchmarks.peers import bare, workload
from benchmarks.peers.base import check_step
from benchmarks.peers.server_process import ServerProcess
from benchmarks.peers.serving import Variant

_MODULE = "benchmarks.peers.bare_stream"


class BareStream:
    """A Peer. The client reads and writes on a separate asyncio loop."""

    name = "bare_stream"

    def start(self, frame: bool) -> None:
        self._server = ServerProcess(_MODULE, frame=frame)
        self._taken = 0
        self._runner = asyncio.Runner()
        self._runner.run(self._connect())

    def server_pids(self) -> list[int]:
        return [self._server.pid]

    def steps(self, n: int) -> None:
        answer = self._runner.run(self._drive(n))
        self._taken += n
        due = (self._taken - 1) % workload.FRAMES
        check_step(self.name, due, workload.step_of_bytes(answer))

    def stop(self) -> None:
        self._server.stop()
        self._runner.run(self._disconnect())
        self._runner.close()

    async def _connect(self) -> None:
        self._channel = grpc.aio.insecure_channel(self._server.address, options=bare.OPTIONS)
        self._call: Any = self._channel.stream_stream(bare.PATH)()

    async def _drive(self, n: int) -> bytes:
        answer = b""
        for _ in range(n):
            await self._call.write(bare.REQUEST)
            answer = await self._call.read()
        return answer

    async def _disconnect(self) -> None:
        self._call.cancel()
        await self._channel.close()


async def _serve(*, frame: bool) -> None:
    answers = cycle(bare.messages(frame=frame))

    async def handle(_requests: Any, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            await context.write(next(answers))

    await bare.serve(grpc.stream_stream_rpc_method_handler(handle))


if __name__ == "__main__":
    asyncio.run(_serve(frame=Variant.from_command_line(_MODULE).frame))
