"""The key that signs results, and the check of what it signed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from env_service.storage.canonical_json import canonical

SIGNATURE = "signature"
"""The field of a signed object that holds its signature."""


class SigningKeyError(Exception):
    """A key file cannot be used; the message names it and says how to mend it."""


class SigningKey:
    """An Ed25519 key (RFC 8032)."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.public_hex = raw.hex()
        """The public half, 64 hex digits."""

    @staticmethod
    def generate() -> SigningKey:
        """A new key that lies nowhere yet."""
        return SigningKey(Ed25519PrivateKey.generate())

    @staticmethod
    def load_or_create(path: Path | None = None) -> SigningKey:
        """The key in a PEM file, which is made (mode 0600) where there is none.

        ``path`` is by default ``$XDG_DATA_HOME/houseguest/signing-key.pem``. Raises
        SigningKeyError for a file that holds no unencrypted Ed25519 key.
        """
        path = path or default_path()
        if not path.exists():
            _create(path)
        try:
            private = load_pem_private_key(path.read_bytes(), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise SigningKeyError(f"{path}: not an unencrypted private key: {error}") from error
        if not isinstance(private, Ed25519PrivateKey):
            raise SigningKeyError(f"{path}: not an Ed25519 key. Move it away to have one made.")
        return SigningKey(private)

    def sign(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body with its signature, hex, over the canonical bytes of the body."""
        return {**body, SIGNATURE: self._private.sign(canonical(body)).hex()}


def default_path() -> Path:
    """Where a user's key lies: below ``XDG_DATA_HOME``, by default ``~/.local/share``."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "houseguest" / "signing-key.pem"


def is_signed(signed: Mapping[str, Any], public_key: str) -> bool:
    """Whether ``signed`` holds a good signature of the rest of it by that key (hex)."""
    body = dict(signed)
    signature = body.pop(SIGNATURE, None)
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        proof = bytes.fromhex(signature)
        key.verify(proof, canonical(body))
    except (ValueError, TypeError, InvalidSignature):
        return False
    # One signature is written in one way: no digit may change its case unseen.
    return bool(proof.hex() == signature)


def _create(path: Path) -> None:
    """Makes a key file. If another process was faster, keeps its key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
