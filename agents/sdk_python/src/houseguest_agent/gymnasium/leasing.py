"""Finds a free seat among practice tokens."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from ..client import Client
from ..enums import Feature
from ..episode import Episode
from ..errors import RefusedError, SetupError, SupersededError
from ..options import Options

_PATIENCE = 10.0
"""Seconds for a seat to become free: an environment that was closed or killed just now leaves it
within a second."""
_PAUSE = 0.2

_connected_in: list[int] = []
"""The process that has used gRPC, if any: what it forks may not."""


def read_tokens(given: str | Sequence[str]) -> tuple[str, ...]:
    """The tokens in a text with commas, or a list; of HOUSEGUEST_TOKEN or HOUSEGUEST_TOKENS where
    it is empty. Raises SetupError where there is none."""
    if not given:
        given = os.environ.get("HOUSEGUEST_TOKEN") or os.environ.get("HOUSEGUEST_TOKENS", "")
    tokens = given.split(",") if isinstance(given, str) else given
    found = tuple(token.strip() for token in tokens if token.strip())
    if not found:
        raise SetupError(
            "No practice token. `houseguest practice SUITE` prints some: set HOUSEGUEST_TOKEN, or"
            " HOUSEGUEST_TOKENS for several, or pass token=…."
        )
    return found


def take_seat(address: str, tokens: Sequence[str]) -> tuple[Client, Episode]:
    """Connects with the first token whose seat is free, and begins the first episode.

    Raises SetupError in a process that was forked from one that has connected, for a lease whose
    episodes are scored, and where no seat becomes free; and what Client.connect raises.
    """
    _check_process()
    deadline = time.monotonic() + _PATIENCE
    while True:
        for token in tokens:
            if (client := _connect(address, token)) is not None and (first := _begin(client)):
                return client, first
        if time.monotonic() > deadline:
            raise SetupError(
                "Another environment holds "
                + ("the seat of this token" if len(tokens) == 1 else "each of these seats")
                + ": close() it, or open more with `houseguest practice --sessions N`."
            )
        time.sleep(_PAUSE)


def _connect(address: str, token: str) -> Client | None:
    """None where the seat is taken."""
    options = Options(token=token, state_file="")
    client = Client("gymnasium", options=replace(options, address=address or options.address))
    try:
        client.connect()
    except RefusedError as error:
        if error.reason == "SEAT_TAKEN":
            return None
        raise
    if Feature.PRACTICE not in client.features:
        client.close()
        raise SetupError(
            "This token is of a run, whose episodes are scored and played once: an environment"
            " needs a practice lease, as `houseguest practice SUITE` opens them."
        )
    return client


def _begin(client: Client) -> Episode | None:
    """The first episode. None where another environment has taken the seat meanwhile: until its
    holder has made a call, a seat is granted again to whoever asks for it."""
    try:
        return client.reset()
    except SupersededError:
        client.close()
        return None
    except BaseException:
        client.close()
        raise


def _check_process() -> None:
    """gRPC does not survive a fork, and would hang."""
    if _connected_in and _connected_in[0] != os.getpid():
        raise SetupError(
            "This process was forked from one that had connected to a house, which gRPC does not"
            " survive. Start it otherwise: AsyncVectorEnv(…, context='spawn'), or use"
            " houseguest_agent.gymnasium.vector."
        )
    _connected_in[:] = [os.getpid()]
