"""The errors of the Python API. Each message says what is wrong, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class HouseguestError(Exception):
    """Something that you asked for cannot be done; the message explains why and what helps.

    ``kind`` names the error as the command line's ``--json`` does. ``nearest`` is the name that
    you may have meant, or empty.
    """

    def __init__(self, message: str, *, kind: str = "", nearest: str = "") -> None:
        super().__init__(message)
        self.kind = kind or type(self).__name__
        self.nearest = nearest


class UsageError(HouseguestError, ValueError):
    """An argument cannot be used."""


class MissingPackageError(HouseguestError, ImportError):
    """An optional package is not installed; the message names the extra that installs it."""


@contextmanager
def translated() -> Iterator[None]:
    """Turns the service's errors whose messages are for users into HouseguestError."""
    try:
        yield
    except HouseguestError:
        raise
    except Exception as error:
        found = _for_users(error)
        if found is None:
            raise
        raise found from error


def _for_users(error: Exception) -> HouseguestError | None:
    import click  # noqa: PLC0415 - only on errors

    from env_service.evaluation.user_errors import as_user_error  # noqa: PLC0415 - only on errors

    if isinstance(error, OSError) and error.filename is not None:
        return HouseguestError(
            f"{error.filename}: {error.strerror}", kind=type(error).__name__, nearest=""
        )
    if isinstance(error, click.UsageError):
        return UsageError(error.format_message(), kind=type(error).__name__)
    found = as_user_error(error)
    if found is None:
        return None
    made = UsageError if found.misuse else HouseguestError
    return made(found.message, kind=found.kind, nearest=found.nearest)
