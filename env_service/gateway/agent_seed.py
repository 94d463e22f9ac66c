"""A seed for the agent's own draws, which gives nothing away."""

from __future__ import annotations

import hashlib

from env_service.engine.base import Opening


def agent_seed(run_seed: int, repeat: int, opening: Opening) -> int:
    """1 … 2**63 - 1, of the run's seed, the repeat and what the agent is shown.

    The task's id and the world's seed do not enter: an agent that knows every task could
    find them out by trying.
    """
    first, shown = opening.first, opening.observation
    parts = [f"agent\0{run_seed}\0{repeat}\0{first.instruction}\0{shown.text}".encode()]
    parts += [image.digest for image in shown.images]
    digest = hashlib.sha256(b"\0".join(parts)).digest()
    return (int.from_bytes(digest[:8], "big") >> 1) or 1
