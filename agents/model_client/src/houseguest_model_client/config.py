"""All about an endpoint, and where its key and its base URL are looked for."""

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
"""Enough for a model that thinks first, and an end to one that never stops."""

KEY_VARIABLES = ("HOUSEGUEST_API_KEY", "OPENAI_API_KEY")
"""Where the API key is looked for; the first that is set counts (docs/model-guests.md)."""

ADDRESS_VARIABLES = ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL")
"""Where the base URL is looked for if it is not given."""

LEAST_SECRET = 4
"""Characters. What is shorter cannot be struck out of a text without spoiling it."""

RESERVED_PARAMETERS = ("messages", "model", "stream")
"""Parameters of a request that the client alone sets."""


class Guided(Enum):
    """How replies are held to a schema. AUTO takes the best that the server accepts."""

    AUTO = "auto"
    JSON_SCHEMA = "json-schema"
    JSON_OBJECT = "json-object"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long to put up with a server.

    Attributes:
        timeout: seconds for one attempt.
        patience: seconds for which a request is repeated after its first failure.
        first: seconds of the first wait. Each wait is twice the one before, and is shortened by
            up to half at random; a server's Retry-After goes before that.
        longest: seconds of the longest wait.
        rng: draws how far waits are shortened.
    """

    timeout: float = 300.0
    patience: float = 600.0
    first: float = 1.0
    longest: float = 30.0
    rng: random.Random = field(default_factory=random.Random)


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """All about an endpoint. What is None or empty is not sent.

    Attributes:
        address: where the server is.
        model: as the server knows it.
        key: secret; empty where the server wants none.
        temperature: models that reason often take none.
        top_p: the nucleus that is sampled from, 0 to 1.
        seed: from this and a request's ``draw``, each request gets a seed of its own.
        reasoning_effort: sent as given.
        reply_tokens: bounds a reply; None: no bound.
        longer_tokens: bounds a reply that is asked for again since the first was cut; None: a cut
            reply is kept.
        extra_body: goes into each request as it is.
        headers: go with each request; their values may be secret.
        guided: how a reply is held to a request's schema.
        sees_pictures: whether messages may hold pictures.
        waiting: how long to put up with the server.
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
            if len(secret) >= LEAST_SECRET:
                text = text.replace(secret, "…")
        return text


class KeyVariableError(ValueError):
    """A variable was named for the API key, and the environment has none of that name."""


def find_key(named: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The API key, from the variable of that name or the usual ones; empty where none is set.

    Raises:
        KeyVariableError: a variable is named and not set.
    """
    if named and not environment.get(named):
        raise KeyVariableError(
            f"the environment has no variable {named}: export {named}=YOUR_KEY first, or leave out"
            f" --api-key-env to use {' or '.join(KEY_VARIABLES)}"
        )
    return _first(environment, (named,) if named else KEY_VARIABLES).strip()


def find_base_url(given: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The base URL that was given, else the environment's; empty where there is none."""
    return given or _first(environment, ADDRESS_VARIABLES)


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next(filter(None, (environment.get(name) for name in names)), "")


def parse_header(text: str) -> tuple[str, str]:
    """A header's name, in lower case, and its value, from "NAME:VALUE". Raises ValueError."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not name.isascii() or "\n" in text:
        raise ValueError("a header has to be of the form NAME:VALUE")
    return name.strip().lower(), value.strip()


def parse_extra_body(text: str) -> dict[str, Any]:
    """What ``EndpointConfig.extra_body`` may hold, from JSON. Raises ValueError."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"this is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError("this has to be a JSON object")
    for name in RESERVED_PARAMETERS:
        if name in value:
            raise ValueError(f"{name!r} is not yours to set")
    return value
