"""How an endpoint is asked, by command line. Keys come from the environment alone."""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..options import count, positive
from .address import Address, AddressError, read_address

# --- How an endpoint is asked

REPLY_TOKENS = 8192
"""Enough for a thinking model's turn, and an end to one that never stops."""


class Guided(Enum):
    """How replies are held to a schema. AUTO takes the best that the server accepts."""

    AUTO = "auto"
    JSON_SCHEMA = "json-schema"
    JSON_OBJECT = "json-object"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long to put up with a server. Seconds.

    ``timeout`` bounds one attempt, ``patience`` how long a request is repeated after its first
    failure. Waits double from ``first`` up to ``longest``, each shortened by up to half at
    random, drawn from ``rng``; a server's Retry-After goes before that.
    """

    timeout: float = 300.0
    patience: float = 600.0
    first: float = 1.0
    longest: float = 30.0
    rng: random.Random = field(default_factory=random.Random)


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """All about an endpoint. ``key`` is secret: empty where the server wants none.

    ``reply_tokens`` bounds a reply, and ``longer_tokens`` one that is asked for again because
    the first was cut; None: no bound, never again. ``extra_body`` goes into each request as it
    is, ``headers`` with each request; their values may be secret.
    """

    address: Address
    model: str
    key: str = field(default="", repr=False)
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str = ""
    reply_tokens: int | None = REPLY_TOKENS
    longer_tokens: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    guided: Guided = Guided.AUTO
    sees_pictures: bool = True
    waiting: Waiting = field(default_factory=Waiting)

    def redact(self, text: str) -> str:
        """The text without any secret, should a server echo one."""
        for secret in (self.key, *self.headers.values(), *self.address.secrets):
            if len(secret) >= 4:
                text = text.replace(secret, "…")
        return text


KEY_VARIABLES = ("HOUSEGUEST_API_KEY", "OPENAI_API_KEY")
_ADDRESS_VARIABLES = ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL")
_WAITING = Waiting()
_OWN = ("messages", "model", "stream")


def add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that read_endpoint reads."""
    where = parser.add_argument_group("endpoint")
    where.add_argument(
        "--base-url",
        metavar="URL",
        help="as in http://127.0.0.1:8000/v1 or, on a Unix socket, unix:/run/model.sock;"
        " default: HOUSEGUEST_BASE_URL, or OPENAI_BASE_URL",
    )
    where.add_argument("--model", required=True, metavar="NAME", help="as the server knows it")
    where.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="the variable with the API key; default: HOUSEGUEST_API_KEY, or OPENAI_API_KEY",
    )
    where.add_argument(
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar="NAME:VALUE",
        help="a header for every request; may be repeated",
    )
    where.add_argument(
        "--timeout",
        type=positive,
        default=_WAITING.timeout,
        metavar="SECONDS",
        help=f"for one request; default: {_WAITING.timeout:g}",
    )
    where.add_argument(
        "--patience",
        type=positive,
        default=_WAITING.patience,
        metavar="SECONDS",
        help=f"how long to wait for a server that fails or is gone; default: {_WAITING.patience:g}",
    )
    _add_sampling(parser)


def _add_sampling(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("replies (what is not given is left to the server)")
    how.add_argument("--temperature", type=float, metavar="T")
    how.add_argument("--top-p", type=float, metavar="P")
    how.add_argument(
        "--sampling-seed",
        type=int,
        metavar="N",
        help="send a seed with each request, made from N, the episode's seed and the turn",
    )
    how.add_argument("--reasoning-effort", default="", metavar="EFFORT", help="such as low or high")
    how.add_argument(
        "--reply-tokens",
        type=count,
        default=REPLY_TOKENS,
        metavar="N",
        help=f"the longest reply, 0 for no bound; default: {REPLY_TOKENS}",
    )
    how.add_argument(
        "--longer-tokens",
        type=count,
        metavar="N",
        help="ask once more, with this bound, when a reply was cut; default: never",
    )
    how.add_argument(
        "--guided",
        choices=[each.value for each in Guided],
        default=Guided.AUTO.value,
        help="how replies are held to the answer's form; auto: the best that the server takes",
    )
    how.add_argument(
        "--extra-body",
        type=_object,
        default={},
        metavar="JSON",
        help="merged into every request, such as '{\"top_k\": 20}'",
    )


def read_endpoint(
    parser: argparse.ArgumentParser,
    arguments: argparse.Namespace,
    environment: Mapping[str, str] = os.environ,
) -> EndpointConfig:
    """The endpoint that was chosen; ends the program with status 2 where it cannot be one."""
    base_url = arguments.base_url or _first(environment, _ADDRESS_VARIABLES)
    if not base_url:
        parser.error("no endpoint: give --base-url URL, or set HOUSEGUEST_BASE_URL")
    try:
        address = read_address(base_url)
    except AddressError as error:
        parser.error(f"--base-url: {error}")
    if arguments.base_url and address.secrets[0]:
        parser.error(
            "--base-url holds a password, and options are stored with the run: set"
            " HOUSEGUEST_BASE_URL instead"
        )
    named = arguments.api_key_env
    if named and not environment.get(named):
        parser.error(f"--api-key-env {named}: the environment has no such variable")
    # Guests that play side by side must not wait in step.
    rng = random.Random(f"{environment.get('HOUSEGUEST_SEED', '0')}:{os.getpid()}")
    return EndpointConfig(
        address=address,
        model=arguments.model,
        key=_first(environment, (named,) if named else KEY_VARIABLES).strip(),
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        seed=arguments.sampling_seed,
        reasoning_effort=arguments.reasoning_effort,
        reply_tokens=arguments.reply_tokens or None,
        longer_tokens=arguments.longer_tokens or None,
        extra_body=arguments.extra_body,
        headers=dict(arguments.header),
        guided=Guided(arguments.guided),
        sees_pictures=arguments.pictures != "off",
        waiting=Waiting(timeout=arguments.timeout, patience=arguments.patience, rng=rng),
    )


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next(filter(None, (environment.get(name) for name in names)), "")


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not name.isascii() or "\n" in text:
        raise argparse.ArgumentTypeError("a header has to be of the form NAME:VALUE")
    return name.strip().lower(), value.strip()


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("this has to be a JSON object")
    for name in _OWN:
        if name in value:
            raise argparse.ArgumentTypeError(f"{name!r} is the guest's to set")
    return value
