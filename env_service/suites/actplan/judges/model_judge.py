"""Asks a model about plans by Houseguest's rubric, reads its answers, and keeps them on disk with
their cost. No gold plan is shown to the model.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from typing import Any

from PIL import Image

from env_service.chat.asking import Ask, ReplyError, ask_until_read, follow_up
from env_service.chat.client import Message, Picture
from env_service.chat.completion import Usage, without_thoughts
from env_service.chat.model_state import ModelState
from env_service.domain.data_node import objects_in
from env_service.domain.observation import Frame
from env_service.domain.task import Task
from env_service.suites.actplan.dataset.labelled_plans import LabelledPlans
from env_service.suites.actplan.dataset.pictures import load_pictures
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.judges.plan_files import GivenPlan
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import ActPlanTask, read_task
from env_service.worlds.activity.bddl.wording import in_words

# --- Questions about plans, by Houseguest's rubric

LONGEST_PLAN = 20_000
"""Characters of a plan that are shown; the longest published plan has a tenth of that."""

SYSTEM = (files(__package__) / "rubric.txt").read_text(encoding="utf-8").strip()
"""The system message."""

_GOAL = "What the task's definition wants to be true at the end (names may differ):"
_MARK = re.compile(r"</?plan>", re.IGNORECASE)


class Shown(Enum):
    """What of the task's definition the model sees with its description."""

    NONE = "none"
    GOAL = "goal"
    """The goal's conditions, in words."""


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """One plan to judge.

    Attributes:
        task: its id, as the plans' file has it.
        source: whose plan it is.
        description: the task, as the agent read it.
        goal: the goal's conditions in words; empty: they are not shown.
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


# --- Asking, and reading answers


TRIES = 3
"""Requests for one plan whose answers cannot be read, after which it has no verdict."""

_LONGEST_RETURNED = 4_000


def ask_about(question: PlanQuestion, ask: Ask, tries: int = TRIES) -> ModelAnswer:
    """Asks about one plan; again, with what was wrong, where the reply cannot be read. What ``ask``
    raises is passed on."""
    opening = messages(question)

    def again(reply: str, problem: str) -> list[Message]:
        words = (
            f"That could not be read: {problem}. Answer with one JSON object between <VERDICT>"
            " and </VERDICT>."
        )
        return follow_up(opening, reply[-_LONGEST_RETURNED:], words)

    found = ask_until_read(
        ask, opening, lambda reply: read_verdict(reply, classes(question)), again, tries
    )
    return ModelAnswer(question.key, found.value, found.problem, found.requests)


# --- Reads what a model says of a plan

CERTAIN = 0.99
"""A probability is kept this far from 1, and as far from 0: a logit has to be finite."""

LONGEST_EXPLANATION = 2_000

_TAGS = re.compile(r"<VERDICT>(.*?)(?:</VERDICT>|\Z)", re.DOTALL | re.IGNORECASE)
_YES, _NO = ("true", "yes", "correct"), ("false", "no", "incorrect", "wrong")


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What a model says of a plan.

    Attributes:
        correct: its plain answer.
        probability: that people would call the plan correct, from 1 - `CERTAIN` to `CERTAIN`; as
            certain as can be where it names none.
        errors: why it is not, in the order of `ErrorClass`; none of a correct plan.
        explanation: its words.
    """

    correct: bool
    probability: float
    errors: tuple[ErrorClass, ...]
    explanation: str


def read_verdict(reply: str, classes: Sequence[ErrorClass] = tuple(ErrorClass)) -> ModelVerdict:
    """The verdict in a reply: between the tags, else the last JSON object that has one. Error
    classes other than ``classes`` are left out.

    Raises:
        ReplyError: there is none.
    """
    text = without_thoughts(reply)
    tagged = _TAGS.findall(text)
    for part in (*reversed(tagged), text):
        for found in reversed(list(objects_in(part))):
            plain = {_plain(key): value for key, value in found.items()}
            correct = _yes_or_no(plain.get("correct", plain.get("verdict")))
            if correct is not None:
                return _verdict(plain, classes, correct=correct)
    where = "between the tags" if tagged else "in the reply"
    raise ReplyError(f'no JSON object with "correct": true or false {where}')


def _verdict(
    plain: Mapping[str, Any], classes: Sequence[ErrorClass], *, correct: bool
) -> ModelVerdict:
    probability = _share(plain.get("probability"))
    if probability is None:
        probability = 1.0 if correct else 0.0
    bounded = min(max(probability, 1 - CERTAIN), CERTAIN)
    explanation = str(plain.get("explanation") or plain.get("reason") or "")
    errors = () if correct else _errors(plain.get("errors", plain.get("error")), classes)
    return ModelVerdict(correct, bounded, errors, explanation[:LONGEST_EXPLANATION])


def _errors(value: Any, classes: Sequence[ErrorClass]) -> tuple[ErrorClass, ...]:
    named = value if isinstance(value, list) else [value]
    said = {_plain(str(each)) for each in named}
    return tuple(each for each in classes if _plain(each.value) in said)


def _yes_or_no(value: Any) -> bool | None:
    word = str(value).strip().casefold()
    return True if word in _YES else False if word in _NO else None


def _share(value: Any) -> float | None:
    """A probability in percent, as a number or a text ("12 %"), as 0 … 1."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%?\s*", str(value))
    number = float(found[1]) if found and not isinstance(value, bool) else math.nan
    return number / 100 if 0 <= number <= 100 else None


def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


# --- What a model has said so far, on the disk

Key = tuple[str, str, str]
"""Of `rubric.Question`."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came of asking about one plan.

    Attributes:
        verdict: None where no reply could be read; ``problem`` says why.
        requests: how often the model was asked.
    """

    key: Key
    verdict: ModelVerdict | None
    problem: str
    requests: int

    def to_json(self) -> dict[str, Any]:
        """As a line of the state file."""
        task, source, digest = self.key
        record: dict[str, Any] = {"task": task, "source": source, "digest": digest}
        record |= {"requests": self.requests}
        if self.verdict is None:
            return {**record, "problem": self.problem}
        return {
            **record,
            "correct": self.verdict.correct,
            "probability": self.verdict.probability,
            "errors": [each.value for each in self.verdict.errors],
            "explanation": self.verdict.explanation,
        }


def read_answer(value: Mapping[str, Any]) -> ModelAnswer:
    """What `Answer.to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    key = str(value["task"]), str(value["source"]), str(value["digest"])
    requests = int(value["requests"])
    if "problem" in value:
        return ModelAnswer(key, None, str(value["problem"]), requests)
    verdict = ModelVerdict(
        correct=bool(value["correct"]),
        probability=float(value["probability"]),
        errors=tuple(map(ErrorClass, value["errors"])),
        explanation=str(value["explanation"]),
    )
    return ModelAnswer(key, verdict, "", requests)


class AnswerStore(ModelState[Key, ModelAnswer]):
    """A file of answers: see `Kept`."""

    FORMAT = "houseguest-actplan-model-judge-1"
    COMMAND = "houseguest actplan model"
    read = staticmethod(read_answer)


# --- What asking a model costs

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens that the model reads, and that it writes; in whatever currency."""

    read: float
    written: float

    def of(self, usage: Usage) -> float | None:
        """What a usage costs; None where the server did not report the tokens of every reply."""
        if usage.reported < usage.calls:
            return None
        tokens = usage.input_tokens * self.read + usage.output_tokens * self.written
        return tokens / _MILLION
