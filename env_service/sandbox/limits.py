"""How much of the machine a guest gets."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20
GIB = 2**30


@dataclass(frozen=True, slots=True)
class GuestLimits:
    """What one guest may use; ``--guest-memory``, ``--guest-cpus``, ``--guest-pids``,
    ``--guest-gpus`` and ``--time-limit`` of ``houseguest run`` set it.

    ``memory`` and ``scratch`` (its writable, non-executable /tmp, which counts as memory) are
    bytes, ``cpus`` cores, ``pids`` processes and threads together. ``seconds`` bounds a guest's
    whole life, by the wall clock; None: unbounded. ``gpus`` is ``all``, a number of them, or
    their indices as in ``0,2`` with a leading ``device=``; empty: none.
    """

    memory: int = 4 * GIB
    cpus: float = 2.0
    pids: int = 256
    seconds: float | None = None
    gpus: str = ""
    scratch: int = 256 * MIB
