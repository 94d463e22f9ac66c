"""Makes questions of plans and their tasks. No gold plan is looked at."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from PIL import Image

from env_service.chat.endpoint import Picture
from env_service.domain.observation import Frame
from env_service.domain.task import Task
from env_service.suites.actplan.dataset.labelled import LabelledPlans
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.judges.model_judge.rubric import Question, Shown
from env_service.suites.actplan.judges.plan_files import GivenPlan
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import ActPlanTask, read_task
from env_service.worlds.activity.bddl.telling import in_words

Load = Callable[[ActPlanTask], tuple[Frame, ...]]
"""Loads a task's pictures: `load_pictures`, but for tests."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What of a task a model is shown.

    Attributes:
        corrections: whether known defects of published definitions are mended first.
        pictures: whether it is shown them, where there are any.
    """

    shown: Shown = Shown.GOAL
    corrections: bool = True
    pictures: bool = True


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question whose answer people have given.

    Attributes:
        split: "train", "val" or "test".
        activity: a cluster: its plans share a definition.
    """

    question: Question
    split: str
    activity: str
    label: bool


def ask_of(
    task: ActPlanTask, source: str, plan: str, asking: Asking, load: Load = load_pictures
) -> Question:
    """One plan for one task. Raises WorldFault where the task's pictures cannot be read."""
    goal: tuple[str, ...] = ()
    if asking.shown is Shown.GOAL:
        activity = understand(task, corrections=asking.corrections)
        goal = tuple(map(in_words, activity.problem.conjuncts))
    frames = load(task) if asking.pictures and task.pictures else ()
    pictures = tuple(Picture(_png(frame)) for frame in frames)
    return Question(task.id, source, task.description, goal, plan, pictures)


def labelled_questions(
    plans: LabelledPlans, tasks: Iterable[Task], asking: Asking
) -> Iterator[LabelledQuestion]:
    """The published models' plans, in the order of their instances."""
    by_id = {task.id: task for task in tasks}
    for instance in plans:
        task = read_task(by_id[instance.id])
        for model, plan in instance.plans.items():
            question = ask_of(task, model, plan.text, asking)
            yield LabelledQuestion(question, instance.split, task.activity, plan.correct)


def given_questions(
    plans: Iterable[GivenPlan], source: str, tasks: Mapping[str, Task], asking: Asking
) -> Iterator[Question]:
    """A user's plans. ``tasks``: by id, problems ("ACTIVITY/0") all of them, and instances where
    they are known; a plan for an instance that is not is judged by its problem."""
    for plan in plans:
        task = tasks.get(plan.task) or tasks[plan.problem]
        yield ask_of(read_task(task), source, plan.text, asking)


def _png(frame: Frame) -> bytes:
    written = io.BytesIO()
    Image.fromarray(frame.pixels).save(written, "PNG")
    return written.getvalue()
