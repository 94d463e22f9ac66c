"""The whole life of an agent with weights on this machine: one process plays all sessions.

Imports without torch.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Thread

from houseguest_agent import Client, HouseguestError, ObservationRequest, Options, WithdrawReason

from ..agent import ModelAgent, Stop
from ..model import Model, RefusedError
from ..notices import log_to_stderr
from ..options import Settings
from ..pictures import observation_requests
from ..prompt_manifest import PromptError
from .open_weights import open_model
from .options import WeightsOptions

INTERRUPTED = 130


def serve(name: str, version: str, options: WeightsOptions, settings: Settings) -> int:
    """Loads the model, opens every session of this process, and plays; returns the exit status.

    If the model cannot be used, the agent leaves the run with the reason, so that the service
    neither restarts it nor counts anything as failed.
    """
    tokens = tokens_from_environment()
    if not tokens:
        log_to_stderr(
            "No session: start this agent with `houseguest run --agent local`, or set"
            " HOUSEGUEST_ADDRESS and HOUSEGUEST_TOKEN. To test only the model, use --check."
        )
        return 2
    try:
        model: Model = open_model(options)
    except RefusedError as error:
        nobody = Introduction(name, version, options.model, {})
        Sessions(tokens, nobody).withdraw(Stop(WithdrawReason.MODEL_REFUSED, str(error)))
        return 1
    try:
        status = _play(Introduction(name, version, model.name, {}), tokens, model, settings)
    except KeyboardInterrupt:
        # A thread may be deep inside the model, where it cannot be interrupted.
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    model.close()
    return status


def _play(told: Introduction, tokens: list[str], model: Model, settings: Settings) -> int:
    try:
        agent = ModelAgent(model, settings)
    except PromptError as error:
        log_to_stderr(str(error))
        return 2
    stop = agent.prove()
    sessions = Sessions(tokens, replace(told, configuration=agent.configuration()))
    if stop is not None:
        sessions.withdraw(stop)
        return 1
    requests = observation_requests(pictures=model.sees_pictures, prefer=settings.pictures)
    return sessions.play(agent, list(requests))


# --- Plays all sessions of a run in one process, so that one model answers for all of them


@dataclass(frozen=True, slots=True)
class Introduction:
    """How the agent introduces itself at each of its sessions."""

    name: str
    version: str
    model: str
    configuration: Mapping[str, str]


def tokens_from_environment() -> list[str]:
    """The sessions' tokens: all that the service gave to this process, or that of a lone agent."""
    several = os.environ.get("HOUSEGUEST_TOKENS", "")
    one = os.environ.get("HOUSEGUEST_TOKEN", "")
    return [token for token in (several or one).split(",") if token]


class Sessions:
    """The sessions of one process, each on a separate thread."""

    def __init__(self, tokens: Sequence[str], introduction: Introduction) -> None:
        self._tokens = list(tokens)
        self._introduction = introduction

    def play(self, agent: ModelAgent, requests: Sequence[ObservationRequest]) -> int:
        """Plays until every session is done; returns 0 if all succeeded, else 1.

        Each session gets the first of ``requests`` that the run's condition offers. A session that
        fails does not disturb the others.
        """
        statuses = dict.fromkeys(range(len(self._tokens)), 1)

        def sit(number: int) -> None:
            try:
                statuses[number] = self._play(number, agent, requests)
            except HouseguestError as error:
                log_to_stderr(f"session {number}: {error}")
            except Exception:  # noqa: BLE001 - reported here; the other sessions continue
                log_to_stderr(f"session {number}: {traceback.format_exc()}")

        threads = [Thread(target=sit, args=(number,), daemon=True) for number in statuses]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return max(statuses.values(), default=1)

    def withdraw(self, stop: Stop) -> None:
        """Leaves the run from every session before anything is played, with the reason."""
        log_to_stderr(f"leaving the run: {stop.message}")
        for number in range(len(self._tokens)):
            try:
                self._leave(number, stop)
            except HouseguestError as error:
                log_to_stderr(f"session {number}: {error}")

    def _play(self, number: int, agent: ModelAgent, requests: Sequence[ObservationRequest]) -> int:
        with self._client(number, requests) as client:
            return agent.run(client)

    def _leave(self, number: int, stop: Stop) -> None:
        with self._client(number, [ObservationRequest()]) as client:
            client.withdraw(stop.reason, stop.message)

    def _client(self, number: int, requests: Sequence[ObservationRequest]) -> Client:
        told = self._introduction
        state = os.environ.get("HOUSEGUEST_STATE_FILE", "")
        if state and len(self._tokens) > 1:
            state = f"{state}.{number}"
        return Client(
            told.name,
            told.version,
            model=told.model,
            configuration=told.configuration,
            options=Options(token=self._tokens[number], state_file=state, observation=requests),
        )
