"""How houses are checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What `check_server` may be told.

    ``only``: ids of rules; empty for all. ``to_the_end``: uses up every episode of the run, to
    see AllDone. ``timeout``: seconds until a call counts as hanging. ``ca``: PEM root
    certificates, which turn TLS on; empty: none. ``subject`` names the house in the report;
    empty: its address.
    """

    only: tuple[str, ...] = ()
    to_the_end: bool = False
    timeout: float = 30.0
    ca: bytes = b""
    subject: str = ""
