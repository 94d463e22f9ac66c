"""What the agent is told of how its words are read, and of what came of its steps: our own
words."""

from __future__ import annotations

from env_service.domain.outcome import FeedbackMode
from env_service.suites.alfred.conditions import PLAN
from env_service.suites.alfred.skills.step import SkillResult

NOTHING_DONE = "Nothing has been done yet."
PLAN_TRIED = "The plan has been tried to its end."
PLAN_REFUSED = "Nothing was tried."
SAID_DONE = "You have said that you are done."

_PLAN_RULES = (
    "Answer with the whole plan: skills of the list with commas between, in the order in which they"
    " are to be done, and done at the end. Every step is tried, whatever came of the one before."
    " Anything that is no skill of the list is a step that fails."
)
_STEP_RULES = (
    "Answer with one skill of the list, and with done once the command is fulfilled. Anything that"
    " is no skill of the list is a step that fails."
)
_ASK_RULES = (
    " Before your first step you may put one question to the person who gave the command: write"
    " ask, a colon and the question. It costs no step."
)


def answer_rules(play: str, *, ask: bool) -> str:
    """How an agent's own words are read; ``play`` is the setting's value."""
    rules = _PLAN_RULES if play == PLAN else _STEP_RULES
    return rules + (_ASK_RULES if ask else "")


def step_told(number: int, result: SkillResult, feedback: FeedbackMode) -> str:
    """What is told of a step, counted from 1: no more than the feedback allows."""
    match feedback:
        case FeedbackMode.NONE:
            return f"Step {number} has been tried."
        case FeedbackMode.SIMPLE:
            return f"Step {number} {'worked' if result.worked else 'failed'}."
        case FeedbackMode.DETAILED:
            said = "worked." if result.worked else f"failed: {result.message}"
            return f"Step {number} {said}"
