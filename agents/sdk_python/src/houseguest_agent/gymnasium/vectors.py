"""Several practice leases at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
from gymnasium.vector import AsyncVectorEnv

from .leasing import read_tokens


def vector(env_id: str, token: str | Sequence[str] = "", **settings: Any) -> AsyncVectorEnv:
    """An environment for each token, in a process of its own; sub-environment k plays with the
    k-th. ``settings`` are those of `HouseguestEnv`.

    The processes are spawned, since gRPC does not survive a fork: a script that calls this needs
    ``if __name__ == "__main__":``. Raises SetupError where there is no token.
    """
    makers = [partial(make, env_id, token=each, **settings) for each in read_tokens(token)]
    environments: list[Callable[[], gymnasium.Env[Any, Any]]] = list(makers)
    return AsyncVectorEnv(environments, context="spawn", shared_memory=False)


def make(env_id: str, **settings: Any) -> gymnasium.Env[Any, Any]:
    """As gymnasium.make, also in a process that has imported nothing yet."""
    return gymnasium.make(env_id, **settings)
