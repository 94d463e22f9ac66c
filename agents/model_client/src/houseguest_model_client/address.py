"""Parses the address of a server."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

_VERSION = re.compile(r"/v\d+\w*(/|$)")
_HOST = re.compile(r"[\w.:%-]+")
_AZURE = (".azure.com", ".azure.us", ".azure.cn")
_DEPLOYMENT = "/openai/deployments/"
_CALL = "/chat/completions"
_SOCKET = re.compile(r"unix:(?P<socket>/[^:?#]*[^:?#/])(:(?P<path>/[^?#]*))?")
LONGEST_SOCKET = 107
"""The maximum length in bytes of a socket's path on Linux (unix(7), sun_path)."""


class AddressError(ValueError):
    """An invalid base URL."""


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's URLs. ``azure``: keys go into the header ``api-key``. ``socket`` is the Unix
    socket for the requests; empty for the network."""

    chat: str
    models: str
    azure: bool = False
    socket: str = ""

    @property
    def local(self) -> bool:
        """Whether the server is on this machine, where no proxy leads."""
        host = urlsplit(self.chat).hostname or ""
        try:
            return bool(self.socket) or host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def secrets(self) -> tuple[str, ...]:
        """The parts of the URL that may be secret: a password (first, may be empty), and the
        values of a query."""
        parts = urlsplit(self.chat)
        query = parse_qsl(parts.query)
        return (parts.password or "", *(each for name, each in query if name != "api-version"))

    @property
    def declared(self) -> str:
        """The address to store with a run: without user, password and query."""
        parts = urlsplit(self.chat)
        path = parts.path.removesuffix(_CALL)
        if self.socket:
            return f"unix:{self.socket}:{path}"
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, path, "", ""))


def read_address(base_url: str) -> Address:
    """Parses a base URL, with or without ``/v1``, a slash or ``/chat/completions`` at its end.

    A query, such as Azure's ``?api-version=…``, is kept for every call. ``unix:/SOCKET`` is HTTP
    over a Unix socket, given by its full path; ``unix:/SOCKET:/PATH`` uses another path than
    ``/v1``. Raises AddressError.
    """
    typed = base_url.strip()
    if typed.startswith("unix:"):
        return _read_socket(typed)
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

    return Address(url(path + _CALL), url(models), azure)


def _read_socket(typed: str) -> Address:
    found = _SOCKET.fullmatch(typed)
    if not found:
        raise AddressError(
            f"{typed!r} is not a base URL: on a Unix socket it must be like"
            " unix:/run/model.sock, or unix:/run/model.sock:/api/v1 for a path other than /v1"
        )
    if len(os.fsencode(found["socket"])) > LONGEST_SOCKET:
        raise AddressError(
            f"{typed!r} is not a base URL: the path of a Unix socket has at most {LONGEST_SOCKET}"
            " bytes; mount or link its folder at a shorter one"
        )
    on_socket = read_address(f"http://localhost{found['path'] or ''}")
    return replace(on_socket, socket=found["socket"])


def _split(url: str) -> tuple[SplitResult, str]:
    """The URL's parts, and its host."""
    try:
        parts = urlsplit(url)
        sound = parts.port is None or parts.port > 0
    except ValueError:
        parts, sound = urlsplit(""), False
    host = parts.hostname or ""
    if not sound or parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        raise AddressError(f"{url!r} is not a base URL: it must be like http://127.0.0.1:8000/v1")
    return parts, host
