"""The task set of recorded questions: a published solution up to a step, and that step for an
answer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from env_service.datasets.errors import DataPackCorruptError, DataPackError
from env_service.datasets.pack import Pack, open_pack
from env_service.domain.task import Task, TaskSet
from env_service.domain.text import counted
from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.plan import AsgardPlan, LocationGoal, SetupAction, SetupKind
from env_service.suites.asgard.plan_reader import MOST_STEPS, PlanError, PlanNode
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
    """The files of each data pack that the set requires, for `Suite.data`.

    Pictures are not among them: a step without one is left out, and the digest of the task set
    shows which questions remain. The plans give words, start-up and goals.
    """
    return {RECORDED_PACK: (VIEWER,), **plan_patterns(_OFFICIAL)}


def load_recorded(recorded: Pack | None = None, plans: Pack | None = None) -> PackTasks:
    """The task set, in the page's order; by default from this machine's packs.

    Solutions that cannot be read, or whose plan is missing, are left out and reported in
    ``problems``. A picture whose bytes differ from the published ones counts as missing.

    Raises:
        DataPackMissingError: files are missing, or all pictures.
        DataPackCorruptError: files are damaged, or the page holds no usable solution.
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
            "task set %s: %d of %d recorded steps were left out, as their pictures are missing;"
            " get them: houseguest data fetch %s",
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
        f"data pack {RECORDED_PACK!r} is damaged: {problem}. Download it again with"
        f" houseguest data fetch {RECORDED_PACK}, or import an intact copy."
    )


def _published(pack: Pack) -> frozenset[str]:
    """The pictures that the pack has with their published bytes."""
    return frozenset(pack.files(FRAMES)) - frozenset(pack.describe(FRAMES).modified)


def _questions(
    viewer: Viewer, tasks: Mapping[str, AsgardTask], frames: frozenset[str]
) -> tuple[list[RecordedQuestion], int, list[PlanError]]:
    """The questions, the steps that were looked at, and what is wrong with whole solutions."""
    found: list[RecordedQuestion] = []
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
        raise PlanError(VIEWER, recorded.name, f"is not a task of the set {_OFFICIAL!r}")
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


def _describe(found: list[RecordedQuestion], missing: int) -> str:
    plans = len({question.plan for question in found})
    description = (
        f"One-step questions from recorded solutions: {counted(len(found), 'step')} of"
        f" {counted(plans, 'plan')}. No"
        " simulator; not the benchmark's score."
    )
    return f"{description} Left out for want of a picture: {missing}." if missing else description


# --- One question: a published solution up to a step, and that step for an answer


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """What an episode needs.

    Attributes:
        plan: the name of the plan.
        task_type: the plan's family; ``variation`` is the rest of what its name says.
        description: the instruction.
        history: the solution's steps before this one, all of which worked when it was recorded.
        steps: the number of steps of the solution.
        answer: its step at this point.
        frame: path, in the pack, of the picture from before this step.
        frame_before: of the picture from before the last one; empty at the first step.
        available: the words that the agent sees.
        setup: what the task's start-up does to single objects.
        location_goals: which objects the task wants where.
    """

    plan: str
    task_type: str
    variation: str
    description: str
    history: tuple[Command, ...]
    steps: int
    answer: Command
    frame: str
    frame_before: str
    available: tuple[str, ...]
    setup: tuple[SetupAction, ...] = ()
    location_goals: tuple[LocationGoal, ...] = ()

    @property
    def step(self) -> int:
        """Which step of the solution it asks for, from 1."""
        return len(self.history) + 1

    @property
    def id(self) -> str:
        """Of its task, such as "clean_mirror__FloorPlan406_V1#3"."""
        return f"{self.plan}#{self.step}"

    @property
    def position(self) -> float:
        """The step's place in the solution: 0 the first, 1 the last."""
        return (self.step - 1) / (self.steps - 1) if self.steps > 1 else 0.0


def questions_of(
    recorded: RecordedPlan, plan: AsgardPlan, available: Iterable[str], frames: frozenset[str]
) -> tuple[RecordedQuestion, ...]:
    """A question for each step whose pictures are among ``frames``: the step's picture and, from
    the second step on, the one before it."""
    commands = tuple(step.command for step in recorded.steps)
    words = tuple(available)
    goals = tuple(goal for goal in plan.goals if isinstance(goal, LocationGoal))
    found = []
    for at, step in enumerate(recorded.steps):
        before = recorded.steps[at - 1].frame if at else ""
        if step.frame not in frames or (at and before not in frames):
            continue
        found.append(
            RecordedQuestion(
                plan=recorded.name,
                task_type=plan.family.value,
                variation=" ".join(plan.conditions),
                description=recorded.description,
                history=commands[:at],
                steps=len(commands),
                answer=step.command,
                frame=step.frame,
                frame_before=before,
                available=words,
                setup=plan.setup_actions,
                location_goals=goals,
            )
        )
    return tuple(found)


def make_task(question: RecordedQuestion) -> Task:
    """The question as a task. Questions of one plan depend on each other: it is their cluster."""
    return Task(
        id=question.id,
        group=question.task_type,
        cluster=question.plan,
        data={
            "plan": question.plan,
            "variation": question.variation,
            "description": question.description,
            "history": [command.text for command in question.history],
            "steps": question.steps,
            "answer": question.answer.text,
            "frame": question.frame,
            "frame_before": question.frame_before,
            "objects": list(question.available),
            "setup": [[each.kind.value, each.object_name, each.liquid] for each in question.setup],
            "location_goals": [
                [goal.object_type, goal.destination_type] for goal in question.location_goals
            ],
        },
    )


def read_question(task: Task) -> RecordedQuestion:
    """What ``make_task`` put into a task. Raises PlanError."""
    data = PlanNode(dict(task.data), task.id)
    return RecordedQuestion(
        plan=data["plan"].text(),
        task_type=task.group,
        variation=str(data["variation"].value),
        description=data["description"].text(),
        history=tuple(map(_command, data["history"].items())),
        steps=data["steps"].whole(1, MOST_STEPS),
        answer=_command(data["answer"]),
        frame=data["frame"].text(),
        frame_before=str(data["frame_before"].value),
        available=data["objects"].texts(),
        setup=tuple(map(_setup, data["setup"].items())),
        location_goals=tuple(
            LocationGoal(*(each.text() for each in goal.items()))
            for goal in data["location_goals"].items()
        ),
    )


def _command(said: PlanNode) -> Command:
    verb, _, object_type = said.text().partition(" ")
    return Command(
        Verb(PlanNode(verb, said.source, said.where).one_of("action", Verb)), object_type
    )


def _setup(action: PlanNode) -> SetupAction:
    values: list[Any] = action.value
    kind, name, liquid = values
    return SetupAction(SetupKind(kind), str(name), liquid)
