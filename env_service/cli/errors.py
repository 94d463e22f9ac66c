"""Exit statuses, and the errors that end a command.

Exit statuses: 0 success; 1 something is unscored, or a problem was found; 2 wrong usage;
130 interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

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


_TRANSLATIONS: dict[str, type[Failure]] = {
    "env_service.results.report.runs.NotComparableError": Misuse,
    "env_service.sweep.plan_text.PlanError": Misuse,
    "env_service.results.report.report_files.ReportFolderError": Misuse,
    "env_service.domain.names.UnknownNameError": Misuse,
    "env_service.suites.base.ConditionError": Misuse,
    "env_service.suites.registry.SuiteLoadError": Misuse,
    "env_service.results.run_folder.RunFolderMismatchError": Misuse,
    "env_service.exports.conversation.UnreadableEpisodeError": Failure,
    "env_service.exports.formats.MissingExtraError": Misuse,
    "env_service.exports.job.OccupiedError": Misuse,
    "env_service.storage.signing_key.SigningKeyError": Misuse,
    "env_service.gateway.listeners.ListenError": Misuse,
    "env_service.evaluation.run_evaluation.AgentArgumentsError": Misuse,
    "env_service.sandbox.errors.AgentSpecError": Misuse,
    "env_service.sandbox.errors.AgentStartError": Failure,
    "env_service.submissions.failures.QueueError": Failure,
    "env_service.submissions.failures.ManifestError": Failure,
    "env_service.submissions.failures.ManifestMissingError": Failure,
    "env_service.submissions.failures.ScoreError": Failure,
    "env_service.submissions.failures.SubmissionError": Misuse,
    "env_service.results.run_folder.RunFolderBusyError": Failure,
    "env_service.index.store.IndexUnavailableError": Failure,
    "env_service.wire.bounds.BoundError": Misuse,
    "env_service.storage.signed_journal.CorruptFileError": Failure,
    "env_service.domain.data_node.FormatError": Failure,
    "env_service.engine.base.EngineError": Failure,
    "env_service.worlds.base.WorldUnavailableError": Failure,
    "env_service.plugins.PluginError": Failure,
    "env_service.datasets.errors.ImportSourceError": Misuse,
    "env_service.datasets.errors.MirrorError": Misuse,
    "env_service.datasets.errors.DataPackMissingError": Failure,
    "env_service.datasets.errors.DataPackCorruptError": Failure,
    "env_service.datasets.errors.DataPackBusyError": Failure,
    "env_service.datasets.errors.DataFolderError": Failure,
    "env_service.datasets.errors.DataPackError": Failure,
}
"""Exceptions whose messages are written for users, and the failures that replace them.

The keys are names, so that a command imports only the exceptions that it can raise.
"""


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
    for base in type(error).__mro__:
        failure = _TRANSLATIONS.get(f"{base.__module__}.{base.__qualname__}")
        if failure is not None:
            nearest = getattr(error, "nearest", None) or ""
            return failure(str(error), kind=base.__name__, nearest=nearest)
    return None


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
