"""The report of a submission check, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.manifest import SubmissionManifest


class StageVerdict(Enum):
    """The result of a stage. SKIPPED means that an earlier stage failed."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckStage:
    """One stage of a check.

    ``seconds`` is its duration. ``failure``, ``problem``, ``offending`` (the first offending step
    in the form of ``LostAgent.to_json``) and ``log_tail`` (the last lines of the agent's log)
    describe a stage that FAILED. ``notes`` are remarks that do not fail the stage; ``facts`` are
    JSON.
    """

    name: str
    verdict: StageVerdict
    seconds: float = 0.0
    failure: SubmissionFailure | None = None
    problem: str = ""
    offending: Mapping[str, Any] | None = None
    log_tail: str = ""
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The stage as ``--json`` prints it."""
        return {
            "stage": self.name,
            "verdict": self.verdict.value,
            "seconds": round(self.seconds, 3),
            "failure": None if self.failure is None else self.failure.value,
            "problem": self.problem,
            "first_offending_step": None if self.offending is None else dict(self.offending),
            "log_tail": self.log_tail,
            "notes": list(self.notes),
            "facts": dict(self.facts),
        }


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All stages. ``digest`` is empty and ``manifest`` None if the check failed before them."""

    reference: str
    stages: tuple[CheckStage, ...]
    digest: str = ""
    manifest: SubmissionManifest | None = None

    @property
    def passed(self) -> bool:
        """Whether every stage passed."""
        return all(stage.verdict is StageVerdict.PASSED for stage in self.stages)

    @property
    def failed(self) -> CheckStage | None:
        """The first stage that failed."""
        return next((each for each in self.stages if each.verdict is StageVerdict.FAILED), None)

    def to_json(self) -> dict[str, Any]:
        """The report as ``--json`` prints it."""
        failed = self.failed
        return {
            "kind": "check",
            "image": self.reference,
            "digest": self.digest,
            "manifest": None if self.manifest is None else self.manifest.to_json(),
            "passed": self.passed,
            "failure": failed.failure.value if failed and failed.failure else None,
            "stages": [stage.to_json() for stage in self.stages],
        }


class StageFailedError(Exception):
    """Ends a stage as FAILED. ``failure`` is its class; the rest is as in ``CheckStage``."""

    def __init__(
        self,
        failure: SubmissionFailure,
        problem: str,
        *,
        offending: Mapping[str, Any] | None = None,
        log_tail: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(problem)
        self.failure, self.problem = failure, problem
        self.offending, self.log_tail = offending, log_tail
        self.facts = facts or {}
