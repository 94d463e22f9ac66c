"""Whether a submission's guests keep to the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from env_service.conformance.agent.check import check_sandbox
from env_service.conformance.agent.options import AgentOptions
from env_service.conformance.report import Report, Result, Verdict
from env_service.conformance.rules import Severity
from env_service.conformance.text import result_lines, summary_line
from env_service.gateway.guests import START_SECONDS
from env_service.sandbox.errors import GuestStartError, ImageMissingError
from env_service.sandbox.opening import open_sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.submissions.errors import NotStartedError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.judging import last_words
from env_service.submissions.package import Startable
from env_service.submissions.stages import StageFailedError

Conform = Callable[[Startable, SandboxOptions, Path, float], Report]
"""Plays the kit with a submission's guests: see ``conform``."""

SCENES_AT_ONCE = 2
"""A check shares its machine, and a guest that is slow to start must not be taken for silent."""


SHOWN = 2
"""Broken rules that are told of in full."""
LINES = 12
"""The most lines about one of them."""

STEPS_A_SCENE = 100
"""More than any scene takes."""


def conform(startable: Startable, sandbox: SandboxOptions, logs: Path, pace: float) -> Report:
    """Plays the kit's scenes in the sandbox. Ctrl-C stops the guests first.

    ``logs`` is a folder for what guests write, ``pace`` the seconds that one took for a step when
    it was seen to play: a large model is slow, and yet keeps to the protocol.

    Raises NotStartedError where they do not start, and what ``open_sandbox`` does.
    """
    options = AgentOptions(
        jobs=SCENES_AT_ONCE,
        start_limit=START_SECONDS,
        scene_limit=AgentOptions().scene_limit + STEPS_A_SCENE * pace,
        logs=logs,
        subject=startable.label,
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
    broken = sorted(report.failed, key=lambda each: each.rule.severity is Severity.SHOULD)
    raise StageFailedError(
        failure,
        "\n".join([summary_line(report), *_told(broken)]),
        log_tail=last_words(broken[0].log) if broken else "",
        facts=report.to_json(),
    )


def _told(broken: Sequence[Result]) -> Iterator[str]:
    """The first rules with all that is known of them, and the names of the others."""
    for each in broken[:SHOWN]:
        lines = map(str.strip, result_lines(each))
        yield from islice((line for line in lines if not line.startswith("|")), LINES)
    if others := [each.rule.id for each in broken[SHOWN:]]:
        yield f"also broken: {', '.join(others)}"
        yield "houseguest conformance agent, for the same agent, tells all of each"
