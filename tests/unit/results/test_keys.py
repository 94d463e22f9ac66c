"""Keys and signatures."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from env_service.storage.signing_key import SigningKey, SigningKeyError, default_path, is_signed

BODY = {"task_id": "GoTo/1", "success": True, "steps": 3}


def test_a_signature_holds_for_the_body_and_for_nothing_else() -> None:
    key = SigningKey.generate()
    signed = key.sign(BODY)

    assert is_signed(signed, key.public_hex)
    assert not is_signed({**signed, "success": False}, key.public_hex)
    assert not is_signed({**signed, "extra": 1}, key.public_hex)
    assert not is_signed(signed, SigningKey.generate().public_hex)
    assert not is_signed(BODY, key.public_hex)


@pytest.mark.parametrize("signature", ["", "zz", 7, None, "00" * 64])
def test_nonsense_is_no_signature(signature: Any) -> None:
    assert not is_signed({**BODY, "signature": signature}, SigningKey.generate().public_hex)


def test_a_key_is_made_once_and_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    first, second = SigningKey.load_or_create(), SigningKey.load_or_create()

    path = tmp_path / "houseguest" / "signing-key.pem"
    assert default_path() == path
    assert first.public_hex == second.public_hex
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_a_file_that_holds_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("not a key")

    with pytest.raises(SigningKeyError, match=str(path)):
        SigningKey.load_or_create(path)


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    other = generate_private_key(SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

    with pytest.raises(SigningKeyError, match="Ed25519"):
        SigningKey.load_or_create(path)
