"""How an endpoint is asked."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .address import Address

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
