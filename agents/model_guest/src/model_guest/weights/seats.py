"""Plays all seats of a run in one process, so that one model answers for all of them."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Thread

from houseguest_agent import Client, HouseguestError, ObservationRequest, Options

from model_guest.guest import Guest, Stop, connect_richest
from model_guest.notices import log_to_stderr


@dataclass(frozen=True, slots=True)
class Introduction:
    """How the guest introduces itself at each of its seats."""

    name: str
    version: str
    model: str
    configuration: Mapping[str, str]


def tokens_from_environment() -> list[str]:
    """The seats' tokens: all that a house gave to this process, or the one of a lone guest."""
    several = os.environ.get("HOUSEGUEST_TOKENS", "")
    one = os.environ.get("HOUSEGUEST_TOKEN", "")
    return [token for token in (several or one).split(",") if token]


class Seats:
    """The seats of one process, each played by a thread of its own."""

    def __init__(self, tokens: Sequence[str], introduction: Introduction) -> None:
        self._tokens = list(tokens)
        self._introduction = introduction

    def play(self, guest: Guest, requests: Sequence[ObservationRequest]) -> int:
        """Plays until every seat is done; 0 when all went well, else 1.

        Each seat is shown the first of ``requests`` that the run's condition offers. A seat
        that fails does not disturb the others.
        """
        statuses = dict.fromkeys(range(len(self._tokens)), 1)

        def sit(number: int) -> None:
            try:
                statuses[number] = self._play(number, guest, requests)
            except HouseguestError as error:
                log_to_stderr(f"seat {number}: {error}")
            except Exception:  # noqa: BLE001 - told here; the other seats play on
                log_to_stderr(f"seat {number}: {traceback.format_exc()}")

        threads = [Thread(target=sit, args=(number,), daemon=True) for number in statuses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(statuses.values(), default=1)

    def withdraw(self, stop: Stop) -> None:
        """Leaves the run from every seat before anything is played, and says why."""
        log_to_stderr(f"leaving the run: {stop.message}")
        for number in range(len(self._tokens)):
            try:
                self._leave(number, stop)
            except HouseguestError as error:
                log_to_stderr(f"seat {number}: {error}")

    def _play(self, number: int, guest: Guest, requests: Sequence[ObservationRequest]) -> int:
        with connect_richest(partial(self._client, number), requests) as client:
            return guest.run(client)

    def _leave(self, number: int, stop: Stop) -> None:
        with self._client(number, ObservationRequest()) as client:
            client.withdraw(stop.reason, stop.message)

    def _client(self, number: int, request: ObservationRequest) -> Client:
        told = self._introduction
        state = os.environ.get("HOUSEGUEST_STATE_FILE", "")
        if state and len(self._tokens) > 1:
            state = f"{state}.{number}"
        return Client(
            told.name,
            told.version,
            model=told.model,
            configuration=told.configuration,
            options=Options(token=self._tokens[number], state_file=state, observation=request),
        )
