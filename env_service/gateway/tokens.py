"""Lease tokens for agents: signed, good for one session of one run, short-lived."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass

from env_service.domain.reasons import ProtocolError, Reason

MOST_LETTERS = 1024
"""Of a token. Ours are shorter; a longer one is not even looked at."""

REMEMBERED = 4096
"""Good tokens that are not checked anew at each call."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a good token says: which session of which run. ``serial`` rises with each reissue."""

    run_id: str
    session_number: int
    serial: int


class LeaseTokens:
    """Issues and checks tokens with a secret that never leaves the process.

    A token is ``base64url(JSON) "." base64url(HMAC-SHA-256)``.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or secrets.token_bytes(32)
        self._checked: dict[str, tuple[Lease, float]] = {}

    def issue(self, lease: Lease, expires: float) -> str:
        """A token good until ``expires``, in seconds of the clock that ``check`` is given."""
        claims = [lease.run_id, lease.session_number, lease.serial, expires]
        body = json.dumps(claims, separators=(",", ":")).encode()
        return f"{_encode(body)}.{_encode(self._sign(body))}"

    def check(self, token: str, now: float) -> Lease:
        """Reads a token. Raises ProtocolError TOKEN_INVALID or TOKEN_EXPIRED."""
        lease, expires = self._checked.get(token) or self._read(token)
        if now > expires:
            raise ProtocolError(Reason.TOKEN_EXPIRED)
        return lease

    def _read(self, token: str) -> tuple[Lease, float]:
        if len(token) > MOST_LETTERS:
            raise ProtocolError(Reason.TOKEN_INVALID)
        body_text, _, signature_text = token.partition(".")
        try:
            body, signature = _decode(body_text), _decode(signature_text)
        except (binascii.Error, ValueError):
            raise ProtocolError(Reason.TOKEN_INVALID) from None
        if not hmac.compare_digest(self._sign(body), signature):
            raise ProtocolError(Reason.TOKEN_INVALID)
        run_id, session_number, serial, expires = json.loads(body)
        if len(self._checked) >= REMEMBERED:
            self._checked.clear()
        self._checked[token] = (Lease(run_id, session_number, serial), expires)
        return self._checked[token]

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, body, hashlib.sha256)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    return base64.b64decode(padded, altchars=b"-_", validate=True)
