"""The options for a model behind an OpenAI-compatible server, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.errors import Misuse
from env_service.cli.options import added

if TYPE_CHECKING:
    from houseguest_model_client.address import Address
    from houseguest_model_client.config import EndpointConfig

F = TypeVar("F", bound=Callable[..., Any])


def endpoint_options(command: F) -> F:
    """Adds the options for the model's server and its requests, as agents with a model have."""
    return added(command, *_OPTIONS)


def endpoint_config(asked: Mapping[str, Any]) -> EndpointConfig:
    """Reads the endpoint from the parameters of ``endpoint_options``. Raises Misuse."""
    from houseguest_model_client.config import EndpointConfig, Waiting

    if not asked["model"]:
        raise Misuse("No model: pass --model NAME, or --dry-run to see the requests.")
    address, key = address_and_key(asked)
    return EndpointConfig(
        address=address,
        model=asked["model"],
        key=key,
        temperature=asked["temperature"],
        reasoning_effort=asked["reasoning_effort"],
        reply_tokens=asked["reply_tokens"] or None,
        extra_body=asked["extra_body"],
        headers=asked["headers"],
        waiting=Waiting(timeout=asked["timeout"], patience=asked["patience"]),
    )


def address_and_key(asked: Mapping[str, Any]) -> tuple[Address, str]:
    """The server of ``base_url`` and the key of ``api_key_env``. Raises Misuse."""
    from houseguest_model_client.address import AddressError, read_address
    from houseguest_model_client.config import (
        ADDRESS_VARIABLES,
        KeyVariableError,
        find_base_url,
        find_key,
    )

    base_url = find_base_url(asked["base_url"] or "")
    if not base_url:
        raise Misuse(f"No server: pass --base-url URL, or set {ADDRESS_VARIABLES[0]}.")
    try:
        return read_address(base_url), find_key(asked["api_key_env"])
    except AddressError as error:
        raise Misuse(f"--base-url: {error}") from error
    except KeyVariableError as error:
        raise Misuse(f"--api-key-env: {error}") from error


prompts_option = click.option(
    "--prompts",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder with your own prompts.",
)
parallel_option = click.option(
    "--parallel",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of concurrent requests.",
)
retries_option = click.option(
    "--retries",
    type=click.IntRange(0, 20),
    default=2,
    show_default=True,
    metavar="N",
    help="Maximum number of repeats of a request whose reply is not usable.",
)
fresh_option = click.option(
    "--fresh", is_flag=True, help="Start again; the old state file is kept as .old."
)
"""For tools that keep a model's replies in a state file. Each is a reusable decorator."""


def _seconds(name: str, default: float, text: str) -> Callable[[F], F]:
    kind = click.FloatRange(min=0, min_open=True)
    return click.option(name, type=kind, default=default, show_default=True, metavar="S", help=text)


def _typed(name: str, text: str) -> Any:
    """Parses an option's text with the client's parser of that name. Raises BadParameter."""
    from houseguest_model_client import config

    try:
        return getattr(config, name)(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from error


# After the functions that it uses.
_OPTIONS = (
    click.option("--model", default="", metavar="NAME", help="Model name on the server."),
    click.option(
        "--base-url",
        default="",
        metavar="URL",
        help="Server URL, such as http://127.0.0.1:8000/v1.  [default: HOUSEGUEST_BASE_URL]",
    ),
    click.option(
        "--api-key-env",
        default="",
        metavar="NAME",
        help="Environment variable with the API key.  [default: HOUSEGUEST_API_KEY,"
        " OPENAI_API_KEY]",
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        callback=lambda _context, _parameter, given: dict(
            _typed("parse_header", each) for each in given
        ),
        help="HTTP header to send with each request; may be repeated.",
    ),
    click.option(
        "--temperature",
        type=float,
        metavar="T",
        help="Sampling temperature.  [default: the server's]",
    ),
    click.option(
        "--reasoning-effort",
        default="",
        metavar="EFFORT",
        help="Reasoning effort, sent unchanged.  [default: the server's]",
    ),
    click.option(
        "--reply-tokens",
        type=click.IntRange(min=0),
        default=8192,
        show_default=True,
        metavar="N",
        help="Maximum number of tokens in a reply; 0 sends no limit.",
    ),
    click.option(
        "--extra-body",
        metavar="JSON",
        default="{}",
        callback=lambda _context, _parameter, given: _typed("parse_extra_body", given),
        help="JSON object to merge into each request.",
    ),
    _seconds("--timeout", 300.0, "Time limit for one request, in seconds."),
    _seconds("--patience", 600.0, "Time to wait for an unreachable server, in seconds."),
)
