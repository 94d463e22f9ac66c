"""What an agent is told of its steps (spec section 5.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.parsing import NOTHING

_UNREAD = f"{NOTHING} {NOTHING}"
_INSTANCE = re.compile(r"(\w+)_[a-zA-Z0-9]+")


@dataclass(frozen=True, slots=True)
class PastStep:
    """One turn as the history tells it.

    ``text`` is "ACTION Object", "None None" where no action was understood. ``message`` says why
    it failed, in AI2-THOR's names.
    """

    text: str
    succeeded: bool
    message: str = ""


def plain(message: str) -> str:
    """A message with types in the place of names: Mug_e7fad100 becomes Mug."""
    return _INSTANCE.sub(r"\1", message)


def step_status(step: PastStep, feedback: FeedbackMode) -> str:
    """How the step went, as far as the feedback tells it; empty for none."""
    if feedback is FeedbackMode.NONE:
        return ""
    if step.succeeded:
        return "Success"
    if feedback is FeedbackMode.SIMPLE or not step.message:
        return "Failure"
    return f"Failure: {plain(step.message)}"


def step_line(step: PastStep, feedback: FeedbackMode) -> str:
    """One step: its action and, as far as the feedback tells it, how it went."""
    return "  ".join(filter(None, (step.text, step_status(step, feedback))))


def history_text(steps: Iterable[PastStep], feedback: FeedbackMode) -> str:
    """All steps, one a line, numbered from 1. Turns without an action are left out, and the
    numbers close up; nothing is ever shortened."""
    told = (step for step in steps if step.text != _UNREAD)
    lines = (f"{n}. {step_line(step, feedback)}" for n, step in enumerate(told, start=1))
    return "\n".join(lines)
