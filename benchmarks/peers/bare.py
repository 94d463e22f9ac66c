"""What both bare gRPC peers carry: as many bytes as ours, and no meaning."""

from __future__ import annotations

import grpc

from benchmarks.peers import workload
from benchmarks.peers.base import MESSAGE_CAP
from benchmarks.peers.serving import Leash

SERVICE = "benchmarks.Bare"
METHOD = "Step"
PATH = f"/{SERVICE}/{METHOD}"

OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_CAP),
    ("grpc.max_send_message_length", MESSAGE_CAP),
)

REQUEST = b"a" * 120
"""About as long as a step request of ours: two identifiers, an index and a skill's name."""

_ENVELOPE_BYTES = 200
"""The part of an observation with a picture that is not pixels."""


def messages(*, frame: bool) -> tuple[bytes, ...]:
    """The answers, in turn: 300 bytes each, or 786,632.

    Built beforehand, so a message begins with its place in the cycle, not with the step.
    """
    numbers = range(workload.FRAMES)
    if not frame:
        return tuple(workload.number(n).ljust(workload.TEXT_BYTES, b".") for n in numbers)
    frames = workload.Frames()
    return tuple(
        workload.number(n).ljust(_ENVELOPE_BYTES, b".") + frames.at(n).tobytes() for n in numbers
    )


async def serve(handler: grpc.RpcMethodHandler[bytes, bytes]) -> None:
    """Serves METHOD with an asyncio server on a Unix socket until the leash ends the process."""
    leash = Leash()
    server = grpc.aio.server(options=OPTIONS)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
    )
    server.add_insecure_port(leash.socket_address())
    await server.start()
    leash.announce(leash.socket_address())
    await server.wait_for_termination()
