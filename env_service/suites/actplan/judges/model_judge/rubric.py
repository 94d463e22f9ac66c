"""What a model is asked about a plan. The rubric is our own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files

from env_service.chat.endpoint import Message, Picture
from env_service.suites.actplan.judges.judgement import ErrorClass

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
class Question:
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
        told = hashlib.sha256(_told(self).encode())
        for picture in self.pictures:
            told.update(hashlib.sha256(picture.data).digest())
        return self.task, self.source, told.hexdigest()[:16]


def prompt_digest() -> str:
    """Changes whenever the rubric does: verdicts of different ones do not go together."""
    return hashlib.sha256(SYSTEM.encode()).hexdigest()[:16]


def messages(question: Question) -> list[Message]:
    """The question as a model is asked it."""
    return [Message("system", SYSTEM), Message("user", _told(question), question.pictures)]


def classes(question: Question) -> Sequence[ErrorClass]:
    """The error classes that an answer may name: image understanding only where there are
    pictures."""
    every = tuple(ErrorClass)
    if question.pictures:
        return every
    return [each for each in every if each is not ErrorClass.IMAGE_UNDERSTANDING]


def _told(question: Question) -> str:
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
