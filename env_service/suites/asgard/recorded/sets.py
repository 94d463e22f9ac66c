"""The task set: a question for each recorded step whose pictures are here."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from env_service.datasets.errors import (
    DataPackCorruptError,
    DataPackError,
)
from env_service.datasets.pack import Pack, open_pack
from env_service.domain.english import counted
from env_service.domain.task import TaskSet
from env_service.suites.asgard.node import PlanError
from env_service.suites.asgard.recorded.questions import Question, make_task, questions_of
from env_service.suites.asgard.recorded.viewer import RecordedPlan, Viewer, read_viewer
from env_service.suites.asgard.task_sets import (
    PACK,
    AsgardTask,
    PackTasks,
    load_task_set,
    read_task,
)
from env_service.suites.asgard.task_sets import data_patterns as plan_patterns

NAME = "recorded"
"""Of the task set."""

WORLD = "recorded"
"""Of the world, in which nothing is opened: what there is to see was recorded."""

RECORDED_PACK = "asgard-recorded"
VIEWER = "plan_viewer.html"
FRAMES = "static/plan_images/*.webp"

_OFFICIAL = "official"
"""The task set whose tasks the solutions solve."""

_LOG = logging.getLogger(__name__)


def data_patterns() -> Mapping[str, tuple[str, ...]]:
    """What of which data pack the set cannot do without, for `Suite.data`.

    Pictures are not among it: a step without one is no question, and the digest of the task set
    tells which questions there are. The plans give words, start-up and goals.
    """
    return {RECORDED_PACK: (VIEWER,), **plan_patterns(_OFFICIAL)}


def load_recorded(recorded: Pack | None = None, plans: Pack | None = None) -> PackTasks:
    """The task set, in the page's order; by default from the packs as they lie on this machine.

    Solutions that cannot be read, or whose plan is not there, are left out and told of. A picture
    whose bytes are not the published ones counts as missing.

    Raises:
        DataPackMissingError: files are not there, or no pictures at all.
        DataPackCorruptError: files are not sound, or the page holds no solution of use.
    """
    pack = recorded or open_pack(RECORDED_PACK)
    pack.require([VIEWER])
    viewer = _viewer(pack)
    official = load_task_set(plans or open_pack(PACK), _OFFICIAL)
    tasks = {task.id: read_task(task) for task in official.task_set.tasks}
    frames = _published(pack)
    found, steps, problems = _questions(viewer, tasks, frames)
    if not found:
        raise _nothing(viewer)
    if missing := steps - len(found):
        _LOG.warning(
            "task set %s: %d of %d recorded steps are no questions, as their pictures are not"
            " here; get them: houseguest data fetch %s",
            *(NAME, missing, steps, RECORDED_PACK),
        )
    description = _describe(found, missing)
    task_set = TaskSet(NAME, description, tuple(map(make_task, found)))
    return PackTasks(task_set, (*viewer.problems, *problems))


def _viewer(pack: Pack) -> Viewer:
    try:
        return read_viewer(pack.path(VIEWER).read_text(encoding="utf-8"), VIEWER)
    except (PlanError, UnicodeDecodeError) as error:
        raise _damaged(str(error)) from error


def _damaged(problem: str) -> DataPackCorruptError:
    return DataPackCorruptError(
        f"data pack {RECORDED_PACK!r} is damaged: {problem}. Mend it: houseguest data fetch"
        f" {RECORDED_PACK}; or import a sound copy."
    )


def _published(pack: Pack) -> frozenset[str]:
    """The pictures that are here and as they were published."""
    return frozenset(pack.files(FRAMES)) - frozenset(pack.describe(FRAMES).modified)


def _questions(
    viewer: Viewer, tasks: Mapping[str, AsgardTask], frames: frozenset[str]
) -> tuple[list[Question], int, list[PlanError]]:
    """The questions, the steps that were looked at, and what is wrong with whole solutions."""
    found: list[Question] = []
    problems: list[PlanError] = []
    steps = 0
    for recorded in viewer.plans:
        try:
            task = _task_of(recorded, tasks)
        except PlanError as error:
            problems.append(error)
            continue
        found += questions_of(recorded, task.plan, task.available, frames)
        steps += len(recorded.steps)
    return found, steps, problems


def _task_of(recorded: RecordedPlan, tasks: Mapping[str, AsgardTask]) -> AsgardTask:
    """The task that a solution solves. Its words have to have those of the solution."""
    task = tasks.get(recorded.name)
    if task is None:
        raise PlanError(VIEWER, recorded.name, f"is no task of the set {_OFFICIAL!r}")
    unknown = {step.command.object_type for step in recorded.steps} - set(task.available)
    if unknown:
        raise PlanError(VIEWER, recorded.name, f"names {min(unknown)!r}, which its room lacks")
    return task


def _nothing(viewer: Viewer) -> DataPackError:
    wanted = {step.frame for plan in viewer.plans for step in plan.steps if step.frame}
    if wanted:
        return open_pack(RECORDED_PACK).missing(sorted(wanted))
    why = f"; {viewer.problems[0]}" if viewer.problems else ""
    return _damaged(f"{VIEWER} has no solution that could be asked about{why}")


def _describe(found: list[Question], missing: int) -> str:
    plans = len({question.plan for question in found})
    told = (
        f"One-step questions from recorded solutions: {counted(len(found), 'step')} of"
        f" {counted(plans, 'plan')}. No"
        " simulator; not the benchmark's score."
    )
    return f"{told} Left out for want of a picture: {missing}." if missing else told
