"""How a model is asked."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from env_service.chat.address import Address

REPLY_TOKENS = 8192
"""Enough for a batch, and for a model that thinks first; and an end to one that never stops."""

KEY_VARIABLES = ("HOUSEGUEST_API_KEY", "OPENAI_API_KEY")
"""Where the API key is looked for; the first that is set counts (docs/model-guests.md)."""

ADDRESS_VARIABLES = ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL")
"""Where the base URL is looked for if it is not given."""

LEAST_SECRET = 4
"""Characters. What is shorter cannot be struck out of a text without spoiling it."""


class KeyVariableError(ValueError):
    """A variable was named for the API key, and the environment has none of that name."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long to put up with a server. Seconds.

    ``timeout`` bounds the wait for an answer to begin, and that for its end;
    ``patience`` how long a request is repeated after its first failure. Waits double from
    ``first`` up to ``longest``, each shortened by up to half at random, drawn from ``rng``; a
    server's Retry-After goes before that.
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
        key: secret; empty where the server wants none.
        temperature: models that reason often take none.
        reply_tokens: bounds a reply; None: no bound.
        extra_body: goes into each request as it is.
        headers: go with each request; their values may be secret.
    """

    address: Address
    model: str
    key: str = field(default="", repr=False)
    temperature: float | None = None
    reasoning_effort: str = ""
    reply_tokens: int | None = REPLY_TOKENS
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    waiting: Waiting = field(default_factory=Waiting)

    def redact(self, text: str) -> str:
        """The text without any secret, should a server echo one."""
        for secret in (self.key, *self.headers.values(), *self.address.secrets):
            if len(secret) >= LEAST_SECRET:
                text = text.replace(secret, "…")
        return text


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
    names = (named,) if named else KEY_VARIABLES
    return next(filter(None, (environment.get(name) for name in names)), "").strip()


def find_base_url(given: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The base URL that was given, else the environment's; empty where there is none."""
    return given or next(filter(None, map(environment.get, ADDRESS_VARIABLES)), "") or ""
