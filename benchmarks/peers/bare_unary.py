"""Bare gRPC: one unary call a step, identity serializers, prebuilt answers.

The server is asyncio, as ours is; the client is the blocking stub, which costs less CPU time
than the asyncio one.
"""

from __future__ import annotations

import asyncio
from itertools import cycle
from typing import Any

import grpc

from benchmarks.peers import bare, workload
from benchmarks.peers.base import check_step
from benchmarks.peers.server_process import ServerProcess
from benchmarks.peers.serving import Variant

_MODULE = "benchmarks.peers.bare_unary"


class BareUnary:
    """A Peer."""

    name = "bare_unary"

    def start(self, frame: bool) -> None:
        self._server = ServerProcess(_MODULE, frame=frame)
        self._taken = 0
        self._channel = grpc.insecure_channel(self._server.address, bare.OPTIONS)
        self._step: Any = self._channel.unary_unary(bare.PATH)

    def server_pids(self) -> list[int]:
        return [self._server.pid]

    def steps(self, n: int) -> None:
        answer = b""
        for _ in range(n):
            answer = self._step(bare.REQUEST)
        self._taken += n
        due = (self._taken - 1) % workload.FRAMES
        check_step(self.name, due, workload.step_of_bytes(answer))

    def stop(self) -> None:
        self._channel.close()
        self._server.stop()


async def _serve(*, frame: bool) -> None:
    answers = cycle(bare.messages(frame=frame))

    async def handle(_request: bytes, _context: Any) -> bytes:
        return next(answers)

    await bare.serve(grpc.unary_unary_rpc_method_handler(handle))


if __name__ == "__main__":
    asyncio.run(_serve(frame=Variant.from_command_line(_MODULE).frame))
