"""How a model is asked, and where its server is, from what a user typed."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

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


# --- Where a model's server is, from what a user typed

LONGEST_SOCKET = 107
"""Bytes of a socket's path that Linux takes (unix(7), sun_path)."""

_VERSION = re.compile(r"/v\d+\w*(/|$)")
_HOST = re.compile(r"[\w.:%-]+")
_AZURE = (".azure.com", ".azure.us", ".azure.cn")
_DEPLOYMENT = "/openai/deployments/"
_CALL = "/chat/completions"
_SOCKET = re.compile(r"unix:(?P<socket>/[^:?#]*[^:?#/])(:(?P<path>/[^?#]*))?")


class AddressError(ValueError):
    """A base URL that cannot be one."""


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's URLs. ``azure``: keys go into the header ``api-key``. ``socket`` is the Unix
    socket on which the URLs are asked for; empty: the network."""

    chat: str
    models: str
    azure: bool = False
    socket: str = ""

    @property
    def local(self) -> bool:
        """Whether the server is on this machine: no proxy leads there."""
        host = urlsplit(self.chat).hostname or ""
        try:
            return bool(self.socket) or host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def secrets(self) -> tuple[str, ...]:
        """What in the URL may be secret: a password (first, empty if none), values of a query."""
        parts = urlsplit(self.chat)
        query = parse_qsl(parts.query)
        return (parts.password or "", *(each for name, each in query if name != "api-version"))

    @property
    def declared(self) -> str:
        """The place as it is recorded: no user, no password, no query."""
        parts = urlsplit(self.chat)
        path = parts.path.removesuffix(_CALL)
        if self.socket:
            return f"unix:{self.socket}:{path}"
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))


def read_address(base_url: str) -> Address:
    """Reads a base URL, with or without ``/v1``, a slash or ``/chat/completions`` at its end.

    A query, such as Azure's ``?api-version=…``, stays with every call. ``unix:/SOCKET`` is HTTP
    over a Unix socket, ``unix:/SOCKET:/PATH`` asks there for another path than ``/v1``: as the
    model guests read them (docs/model-guests.md). Raises AddressError.
    """
    typed = base_url.strip()
    socket = ""
    if typed.startswith("unix:"):
        socket, typed = _read_socket(typed)
    parts, host = _split(typed)
    azure = host.endswith(_AZURE)
    path = parts.path.rstrip("/").removesuffix(_CALL).rstrip("/")
    deployment = _DEPLOYMENT in f"{path}/"
    if azure and not path:
        path = "/openai/v1"
    elif not deployment and not _VERSION.search(path):
        path += "/v1"
    models = path.split(_DEPLOYMENT)[0] + "/openai/models" if deployment else f"{path}/models"

    def url(place: str) -> str:
        return urlunsplit((parts.scheme, parts.netloc, place, parts.query, ""))

    return Address(url(path + _CALL), url(models), azure, socket)


def _read_socket(typed: str) -> tuple[str, str]:
    """A socket's path, and the URL that is asked for on it."""
    found = _SOCKET.fullmatch(typed)
    if not found:
        raise AddressError(
            f"{typed!r} is no base URL: on a Unix socket it has to be like"
            " unix:/run/model.sock, or unix:/run/model.sock:/api/v1 for a path other than /v1"
        )
    if len(os.fsencode(found["socket"])) > LONGEST_SOCKET:
        raise AddressError(
            f"{typed!r} is no base URL: the path of a Unix socket has {LONGEST_SOCKET} bytes at"
            " most; mount or link its folder at a shorter one"
        )
    return found["socket"], f"http://localhost{found['path'] or ''}"


def _split(url: str) -> tuple[SplitResult, str]:
    """The URL's parts, and its host."""
    try:
        parts = urlsplit(url)
        sound = parts.port is None or parts.port > 0
    except ValueError:
        parts, sound = urlsplit(""), False
    host = parts.hostname or ""
    if not sound or parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        raise AddressError(f"{url!r} is no base URL: it has to be like http://127.0.0.1:8000/v1")
    return parts, host
