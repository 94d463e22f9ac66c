"""Who may talk to the page's server: a browser on this machine that knows the secret."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_OWN_SITE = ("same-origin", "none")


def new_secret() -> str:
    """The secret part of the page's address."""
    return secrets.token_urlsafe(24)


def refusal(method: str, path: str, headers: Mapping[str, str], secret: str) -> HTTPStatus | None:
    """Why a request is refused; None for one that may be answered. ``headers`` have names in
    small letters.

    The host has to be this machine by a name that no name server answers for (against DNS
    rebinding; any port, since a tunnel has its own), a request that a page sends has to come from
    our page, and the path has to begin with the secret.
    """
    host = headers.get("host", "")
    if host.rpartition(":")[0] not in _LOOPBACK and host not in _LOOPBACK:
        return HTTPStatus.FORBIDDEN
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return HTTPStatus.FORBIDDEN
    if method == "POST" and headers.get("sec-fetch-site", "same-origin") not in _OWN_SITE:
        return HTTPStatus.FORBIDDEN
    given = urlsplit(path).path.split("/")[1]
    if not secrets.compare_digest(given.encode(), secret.encode()):
        return HTTPStatus.NOT_FOUND
    if method == "POST" and headers.get("content-type") != "application/json":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    return None
