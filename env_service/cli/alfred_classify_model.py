"""Has a model judge the attempts that ``houseguest alfred classify`` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.alfred_classify_rows import Row
from env_service.cli.errors import Failure, Misuse
from env_service.cli.output import progress

if TYPE_CHECKING:
    from env_service.chat.settings import EndpointConfig
    from env_service.suites.alfred.judging.model_classifier import Ask
    from env_service.suites.alfred.judging.session import Session


def chosen_model(asked: Mapping[str, Any]) -> Ask:
    """The model that the options name. Raises Misuse."""
    from env_service.chat.endpoint import ChatModel, Message

    model = ChatModel(_endpoint(asked), lambda text: click.echo(text, err=True))
    return lambda messages: model.ask([Message(role, text) for role, text in messages])


def _endpoint(asked: Mapping[str, Any]) -> EndpointConfig:
    from env_service.chat.address import AddressError, read_address
    from env_service.chat.settings import (
        ADDRESS_VARIABLES,
        EndpointConfig,
        KeyVariableError,
        find_base_url,
        find_key,
    )

    base_url = find_base_url(asked["base_url"] or "")
    if not base_url:
        raise Misuse(f"no server: give --base-url URL, or set {ADDRESS_VARIABLES[0]}")
    try:
        address, key = read_address(base_url), find_key(asked["api_key_env"])
    except AddressError as error:
        raise Misuse(f"--base-url: {error}") from error
    except KeyVariableError as error:
        raise Misuse(f"--api-key-env: {error}") from error
    return EndpointConfig(
        address=address, model=asked["model"], key=key, temperature=asked["temperature"]
    )


def asked_rows(rows: Sequence[Row], sessions: Sequence[Session], ask: Ask) -> list[Row]:
    """The rows, with what a model says of those that failed. Raises Failure."""
    from env_service.chat.errors import ModelError
    from env_service.suites.alfred.judging.model_classifier import ReplyError, classify

    found = []
    with progress("asking the model", sum(not each.success for each in sessions)) as advance:
        for row, session in zip(rows, sessions, strict=True):
            if session.success:
                found.append(row)
                continue
            try:
                said = classify(session, ask)
                told = {"failure_types": list(said.types), "explanation": said.explanation}
            except ReplyError as error:
                told = {"failure_types": [], "problem": str(error)}
            except ModelError as error:
                raise Failure(str(error), kind="ModelError") from error
            found.append(replace(row, model=told))
            advance()
    return found


def agreement_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """How far the model and we agree; empty where no model was asked."""
    from env_service.suites.alfred.judging.agreement import agreement

    pairs = [
        (each.types, tuple(each.model["failure_types"]))
        for each in rows
        if each.model is not None and each.model["failure_types"]
    ]
    if not pairs:
        return []
    ours, theirs = zip(*pairs, strict=True)
    return [
        {
            "type": each.type,
            "both": each.both,
            "ours_alone": each.first,
            "model_alone": each.second,
            "neither": each.neither,
            "agree": each.rate,
            "kappa": each.kappa,
        }
        for each in agreement(ours, theirs)
    ]
