"""Shared code of commands that ask a model and keep its answers in a state file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from houseguest_model_client.config import EndpointConfig

from env_service.chat.client import ChatModel, ModelError
from env_service.chat.model_state import ModelState
from env_service.cli.errors import Failure, Interrupted


@contextmanager
def model_for(
    config: EndpointConfig, state: ModelState[Any, Any], kept: Callable[[], str]
) -> Iterator[ChatModel]:
    """Opens a model and records its usage in ``state``.

    Args:
        kept: returns the sentence that says what was kept, for an interrupted or failed command.

    Raises:
        Failure: the model gave no reply.
        Interrupted: the user pressed Ctrl-C.
    """
    model = open_model(config)
    try:
        yield model
    except ModelError as error:
        raise Failure(f"{error}\n{kept()}", kind=type(error).__name__) from error
    except KeyboardInterrupt:
        raise Interrupted(f"Interrupted. {kept()}") from None
    finally:
        if model.usage.calls:
            state.keep_usage(model.usage)


def open_model(config: EndpointConfig) -> ChatModel:
    """Opens a model that reports waits on standard error. Raises Failure if it cannot."""
    try:
        return ChatModel(config, lambda line: click.echo(line, err=True))
    except ModelError as error:
        raise Failure(str(error), kind=type(error).__name__) from error


def sampling_settings(config: EndpointConfig) -> dict[str, Any]:
    """The sampling settings. Answers under different settings are not mixed in one state file."""
    return {
        "temperature": config.temperature,
        "reasoning_effort": config.reasoning_effort,
        "extra_body": dict(config.extra_body),
    }
