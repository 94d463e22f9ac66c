"""The seat of a guest that is started elsewhere: its token, and where it lies."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from env_service.conformance.agent.options import AgentOptions
from env_service.results.atomic import write_atomically
from env_service.sandbox.errors import AgentSpecError

SEAT = "seat-0"


@contextmanager
def external_seat(options: AgentOptions) -> Iterator[AgentOptions]:
    """The options with a token; the token's file lies in ``seats`` meanwhile.

    Says on standard error how a guest is to be started. Raises AgentSpecError where no address
    is given, and OSError.
    """
    if not options.listen:
        raise AgentSpecError(
            "an external guest has to know where to call: give an address to listen on,"
            " unix:/path or host:port"
        )
    token = options.token or secrets.token_urlsafe(16)
    shown = token
    written: Path | None = None
    if options.seats is not None:
        options.seats.mkdir(parents=True, exist_ok=True)
        written = options.seats / SEAT
        write_atomically(written, f"{token}\n".encode())
        shown = f"$(cat {written})"
    sys.stderr.write(
        "Start the guest with this, and again whenever it has left:\n"
        f"  HOUSEGUEST_ADDRESS={options.listen}\n  HOUSEGUEST_TOKEN={shown}\n"
    )
    sys.stderr.flush()
    try:
        yield replace(options, token=token)
    finally:
        if written is not None:
            written.unlink(missing_ok=True)
