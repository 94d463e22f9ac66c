"""The whole life of a guest with weights on this machine. Needs no torch to be imported."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from houseguest_agent import WithdrawReason

from model_guest.guest import Guest, Stop
from model_guest.model import Model, RefusedError
from model_guest.notices import log_to_stderr
from model_guest.pictures import observation_requests
from model_guest.prompt_manifest import PromptError
from model_guest.settings import Settings

from .opening import open_model
from .options import WeightsOptions
from .seats import Introduction, Seats, tokens_from_environment

INTERRUPTED = 130


def serve(name: str, version: str, options: WeightsOptions, settings: Settings) -> int:
    """Loads the model, takes every seat that this process has, and plays; the exit status.

    Where the model cannot be used the run is left with the reason, so that the house neither
    starts the guest again nor counts anything as failed.
    """
    tokens = tokens_from_environment()
    if not tokens:
        log_to_stderr(
            "No seat: start this guest with `houseguest run --agent local`, or set"
            " HOUSEGUEST_ADDRESS and HOUSEGUEST_TOKEN. --check tries the model alone."
        )
        return 2
    try:
        model: Model = open_model(options)
    except RefusedError as error:
        nobody = Introduction(name, version, options.model, {})
        Seats(tokens, nobody).withdraw(Stop(WithdrawReason.MODEL_REFUSED, str(error)))
        return 1
    try:
        status = _play(Introduction(name, version, model.name, {}), tokens, model, settings)
    except KeyboardInterrupt:
        # A thread may be deep inside the model, where nothing can interrupt it.
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    model.close()
    return status


def _play(told: Introduction, tokens: list[str], model: Model, settings: Settings) -> int:
    try:
        guest = Guest(model, settings)
    except PromptError as error:
        log_to_stderr(str(error))
        return 2
    stop = guest.prove()
    seats = Seats(tokens, replace(told, configuration=guest.configuration()))
    if stop is not None:
        seats.withdraw(stop)
        return 1
    requests = observation_requests(pictures=model.sees_pictures, prefer=settings.pictures)
    return seats.play(guest, list(requests))
