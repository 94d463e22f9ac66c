"""What an agent is told of a recorded question beside its task."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.history import PastStep, history_text
from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.recorded.questions import Question

QUESTION = "question"
HISTORY = "history"
"""Names of texts of the opening. A question has no history at the first step."""

_UNDER_WAY = "You are in the midst of this task: your actions so far are listed"
_BEGINS = "You are about to begin this task"
_RULES = (
    "Answer with the one action that comes next, as if you went on until the task is done: this"
    " question is over after your answer."
)
_PICTURES = " Pictures are recordings, in which no hand is drawn over what is held."


def past_steps(history: Iterable[Command]) -> tuple[PastStep, ...]:
    """Recorded steps as the history tells them: all of them worked."""
    return tuple(PastStep(command.text, succeeded=True) for command in history)


def question_text(question: Question, *, pictures: bool) -> str:
    """What is asked, and what the pictures are where there are some."""
    opening = _UNDER_WAY if question.history else _BEGINS
    return f"{opening}. {_RULES}{_PICTURES if pictures else ''}"


def told_history(question: Question, feedback: FeedbackMode) -> str:
    """The steps so far, as far as the feedback tells of them; empty at the first."""
    return history_text(past_steps(question.history), feedback)
