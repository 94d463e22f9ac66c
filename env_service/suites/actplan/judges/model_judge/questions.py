"""What a model is asked about a plan, by a rubric of our own, made of plans and their tasks. No
gold plan is looked at.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files

from PIL import Image

from env_service.chat.client import Message, Picture
from env_service.domain.observation import Frame
from env_service.domain.task import Task
from env_service.suites.actplan.dataset.labelled_plans import LabelledPlans
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.judges.plan_files import GivenPlan
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import ActPlanTask, read_task
from env_service.worlds.activity.bddl.wording import in_words

# --- What a model is asked about a plan. The rubric is our own

LONGEST_PLAN = 20_000
"""Characters of a plan that are shown; the longest published plan has a tenth of that."""

SYSTEM = (files(__package__) / "rubric.txt").read_text(encoding="utf-8").strip()
"""What a model is told first."""

_GOAL = "What the task's definition wants to be true at the end (names may differ):"
_MARK = re.compile(r"</?plan>", re.IGNORECASE)


class Shown(Enum):
    """What of the task's definition is shown beside its description."""

    NONE = "none"
    GOAL = "goal"
    """The goal's conditions, in words."""


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """One plan to judge.

    Attributes:
        task: its id, as the plans' file has it.
        source: whose plan it is.
        description: the task, as the agent was told it.
        goal: the goal's conditions in words; none: they are not shown.
        plan: its text.
        pictures: what the agent was shown; none: it had the description alone.
    """

    task: str
    source: str
    description: str
    goal: tuple[str, ...]
    plan: str
    pictures: tuple[Picture, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """What there is one verdict of: task, source, and a digest of all that is asked."""
        digest = hashlib.sha256(_question_text(self).encode())
        for picture in self.pictures:
            digest.update(hashlib.sha256(picture.data).digest())
        return self.task, self.source, digest.hexdigest()[:16]


def prompt_digest() -> str:
    """Changes whenever the rubric does: verdicts of different ones do not go together."""
    return hashlib.sha256(SYSTEM.encode()).hexdigest()[:16]


def messages(question: PlanQuestion) -> list[Message]:
    """The question as a model is asked it."""
    return [Message.system(SYSTEM), Message.user(_question_text(question), *question.pictures)]


def classes(question: PlanQuestion) -> Sequence[ErrorClass]:
    """The error classes that an answer may name: image understanding only where there are
    pictures."""
    every = tuple(ErrorClass)
    if question.pictures:
        return every
    return [each for each in every if each is not ErrorClass.IMAGE_UNDERSTANDING]


def _question_text(question: PlanQuestion) -> str:
    parts = [f"Task:\n{question.description}"]
    if question.goal:
        conditions = "\n".join(f"- {each}" for each in question.goal)
        parts.append(f"{_GOAL}\n{conditions}")
    if question.pictures:
        count = len(question.pictures)
        parts.append(f"The home before anything is done: {count} picture{'s' * (count > 1)}.")
    plan = _MARK.sub("", question.plan).strip()
    shown = plan[:LONGEST_PLAN] or "(empty)"
    rest = f"\n({len(plan) - LONGEST_PLAN} more characters)" if len(plan) > LONGEST_PLAN else ""
    parts.append(f"<plan>\n{shown}{rest}\n</plan>")
    return "\n\n".join(parts)


Load = Callable[[ActPlanTask], tuple[Frame, ...]]
"""Loads a task's pictures: `load_pictures`, but for tests."""


@dataclass(frozen=True, slots=True)
class QuestionOptions:
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

    question: PlanQuestion
    split: str
    activity: str
    label: bool


def plan_question(
    task: ActPlanTask,
    source: str,
    plan: str,
    shown_options: QuestionOptions,
    load: Load = load_pictures,
) -> PlanQuestion:
    """One plan for one task. Raises WorldFault where the task's pictures cannot be read."""
    goal: tuple[str, ...] = ()
    if shown_options.shown is Shown.GOAL:
        activity = understand(task, corrections=shown_options.corrections)
        goal = tuple(map(in_words, activity.problem.conjuncts))
    frames = load(task) if shown_options.pictures and task.pictures else ()
    pictures = tuple(Picture(_png(frame)) for frame in frames)
    return PlanQuestion(task.id, source, task.description, goal, plan, pictures)


def labelled_questions(
    plans: LabelledPlans, tasks: Iterable[Task], shown_options: QuestionOptions
) -> Iterator[LabelledQuestion]:
    """The published models' plans, in the order of their instances."""
    by_id = {task.id: task for task in tasks}
    for instance in plans:
        task = read_task(by_id[instance.id])
        for model, plan in instance.plans.items():
            question = plan_question(task, model, plan.text, shown_options)
            yield LabelledQuestion(question, instance.split, task.activity, plan.correct)


def given_questions(
    plans: Iterable[GivenPlan],
    source: str,
    tasks: Mapping[str, Task],
    shown_options: QuestionOptions,
) -> Iterator[PlanQuestion]:
    """A user's plans. ``tasks``: by id, problems ("ACTIVITY/0") all of them, and instances where
    they are known; a plan for an instance that is not is judged by its problem."""
    for plan in plans:
        task = tasks.get(plan.task) or tasks[plan.problem]
        yield plan_question(read_task(task), source, plan.text, shown_options)


def _png(frame: Frame) -> bytes:
    written = io.BytesIO()
    Image.fromarray(frame.pixels).save(written, "PNG")
    return written.getvalue()
