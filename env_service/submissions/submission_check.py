"""Checks a submission as the organiser does, before it uses one of the day's attempts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from env_service.conformance.agent.check import AgentOptions, check_sandbox
from env_service.conformance.report import (
    ConformanceReport,
    RuleResult,
    RuleVerdict,
    Severity,
    result_lines,
    summary_line,
)
from env_service.datasets.errors import DataPackError
from env_service.engine.base import EngineError
from env_service.gateway.agent_supervisor import START_SECONDS
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.runtime import run_service
from env_service.results.run_reader import read_run
from env_service.results.verification import verify
from env_service.sandbox.errors import AgentStartError, ImageMissingError
from env_service.sandbox.factory import open_sandbox
from env_service.sandbox.options import SandboxOptions
from env_service.storage.signing_key import SigningKey
from env_service.submissions.check_report import (
    CheckReport,
    CheckStage,
    StageFailedError,
    StageVerdict,
)
from env_service.submissions.failure_diagnosis import (
    check_declared,
    check_played,
    last_words,
    pace_of,
    played_facts,
)
from env_service.submissions.failures import (
    ManifestError,
    ManifestMissingError,
    NotStartedError,
    SubmissionFailure,
)
from env_service.submissions.manifest import SubmissionManifest, check_suite
from env_service.submissions.package import Package, Startable, Submission, read_submission
from env_service.submissions.package_store import package_store
from env_service.submissions.resource_grants import ResourceCeiling, grant, with_limits
from env_service.submissions.submission_run import PlayOrder, Watch, play
from env_service.suites.base import SanitySet
from env_service.suites.registry import load_suite, suite_names
from env_service.worlds.base import WorldUnavailableError

# --- Conformance of a submission's agents to the protocol

Conform = Callable[[Startable, SandboxOptions, Path, float], ConformanceReport]
"""Plays the conformance kit with a submission's agents: see ``conform``."""

SCENES_AT_ONCE = 2
"""Number of scenes played in parallel. It is low, because a check shares its machine and an agent
that starts slowly must not count as silent."""


SHOWN = 2
"""Number of broken rules that the report describes in full."""
LINES = 12
"""Maximum number of lines about one of them."""

STEPS_A_SCENE = 100
"""An upper bound on the steps of a scene."""


def conform(
    startable: Startable, sandbox: SandboxOptions, logs: Path, pace: float
) -> ConformanceReport:
    """Plays the kit's scenes in the sandbox. Ctrl-C stops the agents first.

    ``logs`` is a folder for the agents' logs. ``pace`` is the time that the agent took for a step
    in the check's own runs, in seconds; it extends the time limits, because a large model may be
    slow and still follow the protocol.

    Raises NotStartedError if the agents do not start, and the errors of ``open_sandbox``.
    """
    options = AgentOptions(
        jobs=SCENES_AT_ONCE,
        start_limit=START_SECONDS,
        scene_limit=AgentOptions().scene_limit + STEPS_A_SCENE * pace,
        logs=logs,
        subject=startable.label,
    )
    opened = open_sandbox(startable.launch, sandbox)
    try:
        return check_sandbox(opened, options)
    except ImageMissingError:
        raise
    except AgentStartError as error:
        raise NotStartedError(str(error)) from error


def check_conforming(report: ConformanceReport) -> tuple[str, ...]:
    """Returns a note for each recommended rule that the agent breaks.

    Raises StageFailedError if the agent breaks a mandatory rule.
    """
    if report.conforms:
        return tuple(f"{each.rule.id} (should): {each.rule.requirement}" for each in report.failed)
    silent = all(each.verdict is RuleVerdict.BLOCKED for each in report.results)
    failure = SubmissionFailure.START_FAILED if silent else SubmissionFailure.NOT_CONFORMING
    broken = sorted(report.failed, key=lambda each: each.rule.severity is Severity.SHOULD)
    raise StageFailedError(
        failure,
        "\n".join([summary_line(report), *_described(broken)]),
        log_tail=last_words(broken[0].log) if broken else "",
        facts=report.to_json(),
    )


def _described(broken: Sequence[RuleResult]) -> Iterator[str]:
    """Describes the first rules in full, and names the others."""
    for each in broken[:SHOWN]:
        lines = map(str.strip, result_lines(each))
        yield from islice((line for line in lines if not line.startswith("|")), LINES)
    if others := [each.rule.id for each in broken[SHOWN:]]:
        yield f"also broken: {', '.join(others)}"
        yield "to see each rule in full, run houseguest conformance agent with the same agent"


T = TypeVar("T")

_CLASSES: tuple[tuple[type[Exception], SubmissionFailure], ...] = (
    (ImageMissingError, SubmissionFailure.IMAGE_MISSING),
    (ManifestMissingError, SubmissionFailure.MANIFEST_MISSING),
    (ManifestError, SubmissionFailure.MANIFEST_INVALID),
    (NotStartedError, SubmissionFailure.START_FAILED),
    # No agent was started yet: the Docker engine or the sandbox does not answer.
    (AgentStartError, SubmissionFailure.SERVICE_FAULT),
    (EngineError, SubmissionFailure.SERVICE_FAULT),
    (WorldUnavailableError, SubmissionFailure.SERVICE_FAULT),
    (DataPackError, SubmissionFailure.SERVICE_FAULT),
    (OSError, SubmissionFailure.SERVICE_FAULT),
)
SPEAKING = tuple(kind for kind, _ in _CLASSES)
"""Errors with a message for the submitter; others propagate."""


@dataclass(frozen=True, slots=True)
class CheckOrder:
    """What to check, and how.

    ``digest`` pins the package. ``suites`` are the suites to play; empty means all that the
    manifest lists. A suite is loaded from a ``module:class`` path only if ``suites`` names it.
    ``sandbox`` has the organiser's choices, except for the limits, which come from the manifest and
    ``ceiling``. Runs are written below ``out``.
    """

    reference: str
    out: Path
    digest: str = ""
    suites: tuple[str, ...] = ()
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    ceiling: ResourceCeiling = field(default_factory=ResourceCeiling)
    episode_budget: float = 600.0
    start_seconds: float = 300.0
    key: SigningKey = field(default_factory=SigningKey.generate)
    conform: Conform = conform


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a stage that passed: facts (JSON), and notes for people."""

    facts: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """Callbacks of a check, called when a stage begins, when it ends, and while a run plays."""

    begins: Callable[[str], None] = lambda _name: None
    ends: Callable[[CheckStage], None] = lambda _stage: None
    plays: Watch = lambda _counts, _events: None


def check(order: CheckOrder, progress: CheckProgress | None = None) -> CheckReport:
    """Runs the stages until one fails; the remaining stages are skipped.

    Call it from the main thread: Ctrl-C stops the agents before KeyboardInterrupt is raised. Raises
    AgentSpecError, and the errors of ``load_suite``, for an order that cannot be carried out.
    """
    return _Check(order, progress or CheckProgress()).report()


class _Check:
    """One check. Each stage's results are kept for the following stages."""

    def __init__(self, order: CheckOrder, progress: CheckProgress) -> None:
        self._order, self._progress = order, progress
        self._store = package_store(order.reference)
        self._stages: list[CheckStage] = []
        self._runs: list[Path] = []
        self._package: Package | None = None
        self._submission: Submission | None = None
        self._sandbox = order.sandbox
        self._pace = 0.0

    def report(self) -> CheckReport:
        self._do("image", self._find)
        self._do("manifest", self._read)
        self._do("limits", self._grant)
        for name, suite, chosen in self._dry_runs():
            self._do(name, partial(self._play, suite, chosen))
        self._do("declaration", self._declared)
        self._do("conformance", self._conform)
        self._do("verification", self._verify)
        return CheckReport(
            reference=self._order.reference,
            stages=tuple(self._stages),
            digest="" if self._package is None else self._package.digest,
            manifest=None if self._submission is None else self._submission.manifest,
        )

    def _do(self, name: str, stage: Callable[[], Found]) -> None:
        if any(each.verdict is StageVerdict.FAILED for each in self._stages):
            self._end(CheckStage(name, StageVerdict.SKIPPED))
            return
        self._progress.begins(name)
        began = time.monotonic()
        try:
            found = stage()
        except StageFailedError as error:
            self._end(failed_stage(name, error, time.monotonic() - began))
        except SPEAKING as error:
            known = as_failed(error)
            if known is None:
                raise
            self._end(failed_stage(name, known, time.monotonic() - began))
        else:
            seconds = time.monotonic() - began
            self._end(
                CheckStage(name, StageVerdict.PASSED, seconds, notes=found.notes, facts=found.facts)
            )

    def _end(self, stage: CheckStage) -> None:
        self._stages.append(stage)
        self._progress.ends(stage)

    def _find(self) -> Found:
        self._package = self._store.find(self._order.reference, self._order.digest)
        return Found({"digest": self._package.digest})

    def _read(self) -> Found:
        self._submission = read_submission(self._store, _there(self._package))
        manifest = self._manifest
        for suite in self._order.suites or manifest.suites:
            check_suite(manifest, suite)
            if suite not in suite_names() and suite not in self._order.suites:
                raise ManifestError(
                    f"suites: {suite!r} is not a registered suite: to load it, add --suite {suite}"
                )
        return Found({"name": manifest.name, "version": manifest.version})

    def _grant(self) -> Found:
        granted = grant(self._manifest.hardware, self._order.ceiling)
        self._sandbox = with_limits(self._order.sandbox, granted.limits)
        limits = granted.limits
        facts = {"memory_bytes": limits.memory, "cpus": limits.cpus, "gpus": limits.gpus}
        return Found(facts, granted.notes)

    def _dry_runs(self) -> Iterator[tuple[str, str, SanitySet]]:
        known = self._submission.manifest.suites if self._submission else ()
        for suite in self._order.suites or known:
            sets = load_suite(suite).sanity_sets()
            for chosen in sets:
                part = f"/{chosen.task_set}" if len(sets) > 1 else ""
                yield f"play {suite}{part}", suite, chosen

    def _play(self, suite: str, chosen: SanitySet) -> Found:
        order, startable = self._order, self._startable()
        play_order = PlayOrder(
            request=sanity_request(suite, chosen, startable.label, order.episode_budget),
            startable=startable,
            sandbox=self._sandbox,
            out=order.out / "runs",
            key=order.key,
            start_seconds=order.start_seconds,
        )
        played = run_service(play(play_order, self._progress.plays))
        self._runs.append(played.folder)
        self._pace = max(self._pace, pace_of(read_run(played.folder)))
        check_played(played)
        return Found({**played_facts(read_run(played.folder)), "sandbox": played.isolation})

    def _declared(self) -> Found:
        return Found({}, check_declared(self._manifest, self._runs))

    def _conform(self) -> Found:
        report = self._order.conform(
            self._startable(), self._sandbox, self._order.out / "conformance", self._pace
        )
        notes = check_conforming(report)
        return Found({verdict.value: n for verdict, n in report.counts().items()}, notes)

    def _verify(self) -> Found:
        suites = {run: read_run(run).manifest.suite for run in self._runs}
        reports = [
            verify(run, suite=suite if suite not in suite_names() else None)
            for run, suite in suites.items()
        ]
        bad = [problem for report in reports for problem in report.problems]
        if bad:
            raise StageFailedError(
                SubmissionFailure.VERIFICATION_FAILED,
                "; ".join(map(str, bad[:3])),
                facts={"reports": [each.to_json() for each in reports]},
            )
        counts = ("episodes", "exchanges", "frames", "replayed")
        return Found({name: sum(getattr(each, name) for each in reports) for name in counts})

    def _startable(self) -> Startable:
        return self._store.startable(_there(self._submission))

    @property
    def _manifest(self) -> SubmissionManifest:
        return _there(self._submission).manifest


def failed_stage(name: str, error: StageFailedError, seconds: float) -> CheckStage:
    """The failed stage that an error describes."""
    return CheckStage(
        name=name,
        verdict=StageVerdict.FAILED,
        seconds=seconds,
        failure=error.failure,
        problem=error.problem,
        offending=error.offending,
        log_tail=error.log_tail,
        facts=error.facts,
    )


def as_failed(error: Exception) -> StageFailedError | None:
    """Translates an error into a failed stage; None if it is not an error of a submission."""
    for kind, failure in _CLASSES:
        if isinstance(error, kind):
            return StageFailedError(failure, str(error))
    return None


def _there(value: T | None) -> T:
    if value is None:
        raise RuntimeError("a stage needs a result that no earlier stage produced")
    return value


def sanity_request(suite: str, chosen: SanitySet, agent: str, episode_budget: float) -> RunRequest:
    """The request for a run that plays a suite's sanity set."""
    return RunRequest(
        suite=suite,
        task_set=chosen.task_set,
        tasks=chosen.tasks,
        limit=chosen.limit,
        condition=chosen.condition,
        agent=agent,
        episode_budget=episode_budget,
    )
