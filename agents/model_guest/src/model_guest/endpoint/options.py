"""The command line of an endpoint. Keys come only from the environment."""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Mapping
from typing import TypeVar

from houseguest_model_client.address import AddressError, read_address
from houseguest_model_client.config import (
    REPLY_TOKENS,
    EndpointConfig,
    Guided,
    KeyVariableError,
    Waiting,
    find_base_url,
    find_key,
    parse_extra_body,
    parse_header,
)

from ..options import count, positive

_WAITING = Waiting()

T = TypeVar("T")


def add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that `read_endpoint` reads."""
    where = parser.add_argument_group("endpoint")
    where.add_argument(
        "--base-url",
        metavar="URL",
        help="as in http://127.0.0.1:8000/v1 or, on a Unix socket, unix:/run/model.sock;"
        " default: HOUSEGUEST_BASE_URL, or OPENAI_BASE_URL",
    )
    where.add_argument("--model", required=True, metavar="NAME", help="its name on the server")
    where.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="the variable with the API key; default: HOUSEGUEST_API_KEY, or OPENAI_API_KEY",
    )
    where.add_argument(
        "--header",
        action="append",
        default=[],
        type=_typed(parse_header),
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
        help=f"how long to wait for a server that fails or is down; default: {_WAITING.patience:g}",
    )
    _add_sampling(parser)


def _add_sampling(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("replies (the server chooses what you do not set)")
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
        help=f"the longest reply, 0 for no limit; default: {REPLY_TOKENS}",
    )
    how.add_argument(
        "--longer-tokens",
        type=count,
        metavar="N",
        help="ask once more, with this limit, when a reply was cut off; default: never",
    )
    how.add_argument(
        "--guided",
        choices=[each.value for each in Guided],
        default=Guided.AUTO.value,
        help="constrain replies to the answer's form; auto: the best way that the server supports",
    )
    how.add_argument(
        "--extra-body",
        type=_typed(parse_extra_body),
        default={},
        metavar="JSON",
        help="merged into every request, such as '{\"top_k\": 20}'",
    )


def read_endpoint(
    parser: argparse.ArgumentParser,
    arguments: argparse.Namespace,
    environment: Mapping[str, str] = os.environ,
) -> EndpointConfig:
    """The chosen endpoint; exits with status 2 if it is invalid."""
    base_url = find_base_url(arguments.base_url or "", environment)
    if not base_url:
        parser.error("no endpoint: pass --base-url URL, or set HOUSEGUEST_BASE_URL")
    try:
        address, key = read_address(base_url), find_key(arguments.api_key_env or "", environment)
    except AddressError as error:
        parser.error(f"--base-url: {error}")
    except KeyVariableError as error:
        parser.error(f"--api-key-env: {error}")
    if arguments.base_url and address.secrets[0]:
        parser.error(
            "--base-url contains a password, and options are stored with the run: set"
            " HOUSEGUEST_BASE_URL instead"
        )
    # Parallel agents must not retry in step.
    rng = random.Random(f"{environment.get('HOUSEGUEST_SEED', '0')}:{os.getpid()}")
    return EndpointConfig(
        address=address,
        model=arguments.model,
        key=key,
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


def _typed(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Wraps a parser so that argparse shows its error."""

    def read(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read
