"""The key that signs results."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.doctor.disk import look
from env_service.doctor.finding import Finding, State, Subject
from env_service.results.keys import SigningKey, SigningKeyError, default_path

NAME = "signing key"
_ANOTHER = "Give another file to --signing-key."


def signing_key(subject: Subject) -> Iterator[Finding]:
    """Whether the key can be used, or be made. Makes none."""
    path = subject.signing_key or default_path()
    if not path.exists():
        place = look(NAME, path.parent, _ANOTHER)
        if place.state is State.OK:
            place = Finding(NAME, State.OK, f"{path}; made when it is first needed")
        yield place
        return
    try:
        key = SigningKey.load_or_create(path)
        others = path.stat().st_mode & 0o077
    except (SigningKeyError, OSError) as error:
        yield Finding(NAME, State.PROBLEM, str(error), _ANOTHER)
        return
    found = f"{path}, public key {key.public_hex[:16]}…"
    if others:
        mend = f"chmod 600 {path}"
        yield Finding(NAME, State.WARNING, f"{found}; others can read it", mend)
    else:
        yield Finding(NAME, State.OK, found)
