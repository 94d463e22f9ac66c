"""The interface of a peer: another way to carry the same steps, for comparison with ours."""

from __future__ import annotations

from typing import Protocol

MESSAGE_CAP = 16 * 2**20
"""Bytes of the largest message, on both ends of every peer: the protocol's own cap."""


class Peer(Protocol):
    """One server in a separate process, and a client in the calling process.

    Not reentrant: one thread calls, and ``start`` to ``stop`` is one life. An object may be
    started again after ``stop``.
    """

    name: str
    """How the peer is called in tables; unique among the peers."""

    def start(self, frame: bool) -> None:
        """Starts the server, connects, and resets the environment where there is one.

        ``frame``: whether each observation is a raw picture of ``workload.FRAME_SHAPE``, or
        ``workload.TEXT_BYTES`` of text. Raises PeerError when the server does not come up,
        and whatever the peer's own client raises when it cannot connect; neither leaves a
        server behind.
        """

    def server_pids(self) -> list[int]:
        """The processes whose CPU time counts as the server's. Valid until ``stop``."""

    def steps(self, n: int) -> None:
        """Takes ``n`` > 0 steps, each sent when the answer to the one before has come.

        Every observation is unpacked to what an agent works with. Raises PeerError when
        the last answer is not the ``n``-th since the call before.
        """

    def stop(self) -> None:
        """Disconnects and ends the server, by force after a few seconds.

        A server whose parent is killed instead ends by itself.
        """


class PeerError(Exception):
    """A peer cannot be measured; the message says why."""


def check_step(peer: str, expected: int, received: int) -> None:
    """Raises PeerError when an answer belongs to another step than the last one."""
    if received != expected:
        raise PeerError(f"{peer} answered step {received} where {expected} was due.")
