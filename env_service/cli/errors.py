"""Exit statuses, and the errors that end a command.

Exit statuses: 0 success; 1 something is unscored, or a problem was found; 2 wrong usage;
130 interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from env_service.evaluation.user_errors import as_user_error

PROBLEM = 1
USAGE = 2
INTERRUPTED = 130
"""128 + SIGINT, as in shells."""
PIPE_CLOSED = 141
"""128 + SIGPIPE, as in shells: the reader of standard output has closed the pipe."""


class Failure(click.ClickException):
    """Ends a command with a message, because a problem was found.

    ``kind`` names the failure in ``--json`` output. ``nearest`` is the name that the user may have
    meant, or empty.
    """

    exit_code = PROBLEM

    def __init__(self, message: str, *, kind: str = "", nearest: str = "") -> None:
        super().__init__(message)
        self.kind = kind or type(self).__name__
        self.nearest = nearest


class Misuse(Failure):
    """Ends a command with a message, because its arguments cannot be used."""

    exit_code = USAGE


class Interrupted(Failure):
    """Ends a command with a message, because the user interrupted it."""

    exit_code = INTERRUPTED


@contextmanager
def translated() -> Iterator[None]:
    """Turns exceptions whose messages are for users into a Failure; others pass unchanged."""
    try:
        yield
    except (click.ClickException, BrokenPipeError):
        raise
    except OSError as error:
        if error.filename is None:
            raise
        kind = type(error).__name__
        raise Failure(f"{error.filename}: {error.strerror}", kind=kind) from error
    except Exception as error:
        failure = as_failure(error)
        if failure is None:
            raise
        raise failure from error


def as_failure(error: Exception) -> Failure | None:
    """The Failure for an exception whose message is for users; None for any other."""
    found = as_user_error(error)
    if found is None:
        return None
    failure = Misuse if found.misuse else Failure
    return failure(found.message, kind=found.kind, nearest=found.nearest)


def error_document(error: click.ClickException) -> dict[str, dict[str, str]]:
    """The JSON document for an error: ``{"error": {"kind", "message", …}}``.

    It has ``nearest`` only if the user may have meant another name.
    """
    document = {
        "kind": getattr(error, "kind", type(error).__name__),
        "message": error.format_message(),
    }
    nearest = getattr(error, "nearest", "") or _nearest_option(error)
    if nearest:
        document["nearest"] = nearest
    return {"error": document}


def _nearest_option(error: click.ClickException) -> str:
    possibilities = error.possibilities if isinstance(error, click.NoSuchOption) else None
    return possibilities[0] if possibilities else ""
