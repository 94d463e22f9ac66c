"""The configuration of an endpoint, and how its key and base URL are found."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .address import Address

REPLY_TOKENS = 8192
"""Enough for a model that thinks first, and a limit for one that never stops."""

KEY_VARIABLES = ("HOUSEGUEST_API_KEY", "OPENAI_API_KEY")
"""Where to look for the API key; the first one that is set counts (docs/model-guests.md)."""

ADDRESS_VARIABLES = ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL")
"""Where to look for the base URL if it is not given."""

LEAST_SECRET = 4
"""In characters. A shorter secret cannot be redacted from a text without spoiling the text."""

RESERVED_PARAMETERS = ("messages", "model", "stream")
"""Parameters of a request that only the client sets."""


class Guided(Enum):
    """How replies are constrained to a schema. AUTO uses the best way that the server accepts."""

    AUTO = "auto"
    JSON_SCHEMA = "json-schema"
    JSON_OBJECT = "json-object"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long to tolerate a server that fails.

    Attributes:
        timeout: Seconds for one attempt.
        patience: Seconds for which a request is repeated after its first failure.
        first: Seconds of the first wait. Each wait is twice the previous one, and is shortened at
            random by up to half; a server's Retry-After takes precedence.
        longest: Seconds of the longest wait.
        rng: Draws how much waits are shortened.
    """

    timeout: float = 300.0
    patience: float = 600.0
    first: float = 1.0
    longest: float = 30.0
    rng: random.Random = field(default_factory=random.Random)


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """The configuration of an endpoint. Values that are None or empty are not sent.

    Attributes:
        address: Where the server is.
        model: The model's name on the server.
        key: Secret; empty if the server needs none.
        temperature: Reasoning models often accept none.
        top_p: The nucleus that is sampled from, 0 to 1.
        seed: Each request gets a different seed, made from this one and the request's ``draw``.
        reasoning_effort: Sent as given.
        reply_tokens: The limit of a reply; None for no limit.
        longer_tokens: The limit of the second attempt after a reply was cut off; None keeps the
            cut reply.
        extra_body: Added to each request unchanged.
        headers: Sent with each request; their values may be secret.
        guided: How a reply is constrained to a request's schema.
        sees_pictures: Whether messages may contain pictures.
        waiting: How long to tolerate a server that fails.
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
        """The text without any secret, in case a server echoes one."""
        for secret in (self.key, *self.headers.values(), *self.address.secrets):
            if len(secret) >= LEAST_SECRET:
                text = text.replace(secret, "…")
        return text


class KeyVariableError(ValueError):
    """The variable named for the API key is not in the environment."""


def find_key(named: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The API key, from the named variable or the usual ones; empty if none is set.

    Raises:
        KeyVariableError: The named variable is not set.
    """
    if named and not environment.get(named):
        raise KeyVariableError(
            f"the environment has no variable {named}: export {named}=YOUR_KEY first, or omit"
            f" --api-key-env to use {' or '.join(KEY_VARIABLES)}"
        )
    return _first(environment, (named,) if named else KEY_VARIABLES).strip()


def find_base_url(given: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The given base URL, else the environment's; empty if there is none."""
    return given or _first(environment, ADDRESS_VARIABLES)


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next(filter(None, (environment.get(name) for name in names)), "")


def parse_header(text: str) -> tuple[str, str]:
    """A header's lower-case name and its value, from "NAME:VALUE". Raises ValueError."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not name.isascii() or "\n" in text:
        raise ValueError("a header must be of the form NAME:VALUE")
    return name.strip().lower(), value.strip()


def parse_extra_body(text: str) -> dict[str, Any]:
    """Parses ``EndpointConfig.extra_body`` from JSON. Raises ValueError."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    for name in RESERVED_PARAMETERS:
        if name in value:
            raise ValueError(f"{name!r} is reserved and cannot be set")
    return value
