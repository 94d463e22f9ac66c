"""Whether a submission's guests keep to the protocol."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from env_service.conformance.agent.check import check_sandbox
from env_service.conformance.agent.options import AgentOptions
from env_service.conformance.report import Report, Verdict
from env_service.conformance.text import result_lines, summary_line
from env_service.sandbox.errors import GuestStartError, ImageMissingError
from env_service.sandbox.opening import open_sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.submissions.errors import NotStartedError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.judging import last_words
from env_service.submissions.package import Startable
from env_service.submissions.stages import StageFailedError

Conform = Callable[[Startable, SandboxOptions, Path], Report]
"""Plays the kit with a submission's guests; the path is a folder for their logs."""

SCENES_AT_ONCE = 2
"""A check shares its machine, and a guest that is slow to start must not be taken for silent."""


def conform(startable: Startable, sandbox: SandboxOptions, logs: Path) -> Report:
    """Plays the kit's scenes in the sandbox. Ctrl-C stops the guests first.

    Raises NotStartedError where they do not start, and what ``open_sandbox`` does.
    """
    options = AgentOptions(
        jobs=SCENES_AT_ONCE, start_limit=300.0, logs=logs, subject=startable.label
    )
    opened = open_sandbox(startable.guest, sandbox)
    try:
        return check_sandbox(opened, options)
    except ImageMissingError:
        raise
    except GuestStartError as error:
        raise NotStartedError(str(error)) from error


def check_conforming(report: Report) -> tuple[str, ...]:
    """Notes on what should be better. Raises StageFailedError where a rule was broken that a guest
    has to keep."""
    if report.conforms:
        return tuple(f"{each.rule.id} (should): {each.rule.requirement}" for each in report.failed)
    silent = all(each.verdict is Verdict.BLOCKED for each in report.results)
    failure = SubmissionFailure.START_FAILED if silent else SubmissionFailure.NOT_CONFORMING
    lines = [line.strip() for each in report.failed for line in result_lines(each)]
    told = [line for line in lines if not line.startswith("|")][:12]
    first = next(iter(report.failed), None)
    raise StageFailedError(
        failure,
        "\n".join([summary_line(report), *told]),
        log_tail=last_words(first.log) if first else "",
        facts=report.to_json(),
    )
