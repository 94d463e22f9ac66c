"""The exceptions whose messages are written for users.

They are listed by name, so that a program imports only those that it can raise.
"""

from __future__ import annotations

from dataclasses import dataclass

MISUSE = (
    "env_service.results.report.runs.NotComparableError",
    "env_service.sweep.plan_text.PlanError",
    "env_service.results.report.report_files.ReportFolderError",
    "env_service.domain.names.UnknownNameError",
    "env_service.suites.base.ConditionError",
    "env_service.suites.registry.SuiteLoadError",
    "env_service.results.run_folder.RunFolderMismatchError",
    "env_service.exports.formats.MissingExtraError",
    "env_service.exports.job.OccupiedError",
    "env_service.exports.training.EvaluationTasksError",
    "env_service.storage.signing_key.SigningKeyError",
    "env_service.gateway.listeners.ListenError",
    "env_service.evaluation.run_evaluation.AgentArgumentsError",
    "env_service.sandbox.errors.AgentSpecError",
    "env_service.submissions.failures.SubmissionError",
    "env_service.wire.bounds.BoundError",
    "env_service.datasets.errors.ImportSourceError",
    "env_service.datasets.errors.MirrorError",
)
"""Raised for arguments that cannot be used."""

PROBLEMS = (
    "env_service.exports.conversation.UnreadableEpisodeError",
    "env_service.exports.tracking.TrackerError",
    "env_service.sandbox.errors.AgentStartError",
    "env_service.submissions.failures.QueueError",
    "env_service.submissions.failures.ManifestError",
    "env_service.submissions.failures.ManifestMissingError",
    "env_service.submissions.failures.ScoreError",
    "env_service.results.run_folder.RunFolderBusyError",
    "env_service.index.store.IndexUnavailableError",
    "env_service.storage.signed_journal.CorruptFileError",
    "env_service.domain.data_node.FormatError",
    "env_service.engine.base.EngineError",
    "env_service.worlds.base.WorldUnavailableError",
    "env_service.plugins.PluginError",
    "env_service.datasets.errors.DataPackMissingError",
    "env_service.datasets.errors.DataPackCorruptError",
    "env_service.datasets.errors.DataPackBusyError",
    "env_service.datasets.errors.DataFolderError",
    "env_service.datasets.errors.DataPackError",
)
"""Raised where a problem was found."""


@dataclass(frozen=True, slots=True)
class UserError:
    """An exception as a user sees it.

    ``kind`` names the exception. ``nearest`` is the name that the user may have meant, or empty.
    ``misuse``: the arguments cannot be used.
    """

    message: str
    kind: str
    nearest: str
    misuse: bool


def as_user_error(error: Exception) -> UserError | None:
    """The error whose message is for users, for an exception of this list or derived from one;
    None for any other."""
    for base in type(error).__mro__:
        name = f"{base.__module__}.{base.__qualname__}"
        if name in MISUSE or name in PROBLEMS:
            nearest = getattr(error, "nearest", None) or ""
            return UserError(str(error), base.__name__, nearest, name in MISUSE)
    return None
