"""Scores a submission: plays its task sets and writes ``score.json``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.limits import PROTOCOL_REVISION
from env_service.gateway.runtime import run_service
from env_service.results.frame_packer import pack_all
from env_service.results.manifest import hardware, host_versions
from env_service.results.run_layout import FRAMES
from env_service.results.run_reader import read_run
from env_service.sandbox.options import SandboxOptions
from env_service.storage.signing_key import SigningKey
from env_service.submissions.failure_diagnosis import failure_of
from env_service.submissions.failures import ScoreError, SubmissionError, SubmissionFailure
from env_service.submissions.manifest import check_suite
from env_service.submissions.package import PackageStore, Submission
from env_service.submissions.resource_grants import (
    GrantedResources,
    ResourceCeiling,
    grant,
    with_limits,
)
from env_service.submissions.score_file import (
    KIND,
    SCHEMA,
    SCORE,
    ScoredRun,
    not_scored,
    overall_json,
    read_score,
    result_json,
    write_score,
)
from env_service.submissions.submission_run import PlayedRun, PlayOrder, Watch, play
from env_service.suites.registry import load_suite
from env_service.suites.selection import pick_task_set, pick_world, settle_condition

RUNS = "runs"
_NEXT = re.compile(r",(?=[A-Za-z_][\w.]*(?::[A-Za-z_]\w*)?/)")
"""A comma before another SUITE/; names of task sets may contain commas themselves."""


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """A task set of a suite; an empty name means the suite's first."""

    suite: str
    task_set: str = ""


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """What to play for a score, and how. ``sandbox`` and ``ceiling`` are as in CheckOrder."""

    store: PackageStore
    submission: Submission
    choices: tuple[TaskChoice, ...]
    out: Path
    key: SigningKey
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    ceiling: ResourceCeiling = field(default_factory=ResourceCeiling)
    world: str = ""
    condition: Mapping[str, str] = field(default_factory=dict)
    repeats: int = 1
    parallel: int = 1
    seed: int = 0
    step_budget: float = 600.0
    episode_budget: float = 3600.0
    start_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A written score. ``failure`` says why some planned episodes have no score, if any."""

    path: Path
    body: Mapping[str, Any]
    failure: SubmissionFailure | None
    played: tuple[PlayedRun, ...]


def read_choices(given: Iterable[str]) -> tuple[TaskChoice, ...]:
    """Reads ``SUITE/TASKSET[,…]`` texts. Raises SubmissionError."""
    choices = []
    for text in given:
        for part in _NEXT.split(text):
            suite, _, task_set = part.strip().partition("/")
            if not suite:
                raise SubmissionError(f"--tasks {text!r}: give SUITE/TASKSET, or SUITE alone")
            choices.append(TaskChoice(suite, task_set))
    return tuple(dict.fromkeys(choices))


def check_choice(choice: TaskChoice, world: str, condition: Mapping[str, str]) -> None:
    """Checks, before anything starts, that a choice can be played. Loads no tasks.

    Raises UnknownNameError, SuiteLoadError or ConditionError.
    """
    suite = load_suite(choice.suite)
    task_sets = suite.task_sets()
    name = choice.task_set or next(iter(task_sets))
    if name not in task_sets:
        raise UnknownNameError(f"task set of suite {suite.name!r}", name, task_sets)
    pick_world(suite, name, world)
    settle_condition(suite, condition)


def score(order: ScoreOrder, watch: Watch, over: Callable[[], None]) -> Scored:
    """Plays every task set, then writes ``score.json`` next to the runs. A second call resumes.

    ``over`` is called after each run. Call it from the main thread: Ctrl-C stops the agents before
    KeyboardInterrupt is raised. Raises ManifestError for a suite that the manifest does not list,
    ScoreError if ``out`` contains another submission's score, and the errors of ``play``.
    """
    _check_place(order)
    for choice in order.choices:
        check_suite(order.submission.manifest, choice.suite)
        check_choice(choice, order.world, order.condition)
    granted = grant(order.submission.manifest.hardware, order.ceiling)
    played = []
    for choice in order.choices:
        played.append(_play(order, choice, granted, watch))
        over()
        pack_all(played[-1].folder / FRAMES, lambda _done, _total: None)
    # A set that was named twice, for example once as the suite's default, is one run.
    runs = [_scored_run(order, each) for each in {one.folder: one for one in played}.values()]
    body = _body(order, granted, played, runs)
    path = write_score(order.out, body, order.key)
    failure = next(filter(None, map(failure_of, played)), None)
    return Scored(path, body, failure, tuple(played))


def _check_place(order: ScoreOrder) -> None:
    """Raises ScoreError if ``out`` has a score of another package."""
    path = order.out / SCORE
    if not path.exists():
        return
    there = read_score(path).get("submission")
    digest = there.get("digest") if isinstance(there, dict) else None
    if digest != order.submission.package.digest:
        raise ScoreError(
            f"{path} is the score of another image or build: choose another folder with --out"
        )


def _play(
    order: ScoreOrder, choice: TaskChoice, granted: GrantedResources, watch: Watch
) -> PlayedRun:
    startable = order.store.startable(order.submission)
    request = RunRequest(
        suite=choice.suite,
        task_set=choice.task_set,
        world=order.world,
        condition=order.condition,
        seed=order.seed,
        repeats=order.repeats,
        sessions=order.parallel,
        agent=startable.label,
        episode_budget=order.episode_budget,
    )
    play_order = PlayOrder(
        request=request,
        startable=startable,
        sandbox=with_limits(order.sandbox, granted.limits),
        out=order.out / RUNS,
        key=order.key,
        step_budget=order.step_budget,
        start_seconds=order.start_seconds,
    )
    return run_service(play(play_order, watch))


def _scored_run(order: ScoreOrder, played: PlayedRun) -> ScoredRun:
    run = read_run(played.folder)
    suite, manifest = load_suite(run.manifest.suite), run.manifest
    task_set = suite.under(pick_task_set(suite, manifest.task_set), manifest.condition)
    clusters = {task.id: task.cluster for task in task_set.tasks}
    folder = played.folder.relative_to(order.out).as_posix()
    return ScoredRun(folder, run, not_scored(run, clusters))


def _body(
    order: ScoreOrder, granted: GrantedResources, played: list[PlayedRun], runs: list[ScoredRun]
) -> dict[str, Any]:
    submission, package = order.submission, order.submission.package
    return {
        "kind": KIND,
        "schema_version": SCHEMA,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "submission": {
            "image": package.reference,
            "digest": package.digest,
            "repo_digests": list(package.repo_digests),
            "manifest": submission.manifest.to_json(),
            "manifest_sha256": submission.manifest_digest,
        },
        "house": {
            "versions": host_versions(),
            "protocol_revision": PROTOCOL_REVISION,
            "hardware": hardware(),
        },
        "sandbox": {
            "isolation": played[-1].isolation,
            "facts": dict(played[-1].sandbox),
            "notes": list(granted.notes),
        },
        "overall": overall_json(runs),
        "results": [result_json(each) for each in runs],
    }
