"""The errors that this library raises."""

from __future__ import annotations


class HouseguestError(Exception):
    """Any failure of this library. The message says what was wrong and how to fix it.

    ``reason`` is the service's reason (docs/protocol.md), such as ``"STEP_CONFLICT"``; empty if
    the service gave none.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class SetupError(HouseguestError):
    """An option, an environment variable or a file is missing or wrong."""


class UnreachableError(HouseguestError):
    """The service did not answer for as long as the retry policy allows."""


class TokenRefusedError(HouseguestError):
    """The service does not accept the lease token."""


class SupersededError(HouseguestError):
    """Another process took over the session. Never retried: only one may hold it."""


class RevokedError(HouseguestError):
    """The service ended the session; every later call would fail."""


class DrainingError(HouseguestError):
    """The service is closing and starts no new episode."""


class RefusedError(HouseguestError):
    """The service refused a call for a reason that a repeat does not change.

    ``code`` is the number of the google.rpc.Code.
    """

    def __init__(self, message: str, reason: str = "", code: int = 2) -> None:
        super().__init__(message, reason)
        self.code = code


class EpisodeOverError(HouseguestError):
    """An action was sent to an episode that has ended."""


class ImageError(HouseguestError):
    """A picture is missing, or the installed packages cannot read it."""
