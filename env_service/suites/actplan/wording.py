"""What the agent is told: how its words are read, what came of its steps, and how it says that
it is done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from env_service.domain.action import Action, ActionSpace, Plan, Skill, SkillCall, Text
from env_service.domain.outcome import FeedbackMode
from env_service.suites.actplan.conditions import PLAN
from env_service.suites.actplan.plans.action_reader import action_space
from env_service.suites.actplan.plans.plan_reader import ReadPlan

NOTHING_DONE = "Nothing has been done yet."
PLAN_TAKEN = "The plan has been carried out to its end."
PLAN_REFUSED = "Nothing was carried out."
SAID_DONE = "You have said that you are done."

_FORM = (
    "A step is an action with its objects in parentheses: action(object), or action(target,"
    " object) where something is put somewhere or used on something."
)
_PLAN_RULES = (
    f"{_FORM} Answer with the whole plan, one step a line and nothing else. It is carried out to"
    " its end, whatever came of a step."
)
_STEP_RULES = (
    f"{_FORM} Answer with one step, and with done() once the task is fulfilled. A step that"
    " cannot be done changes nothing."
)


def answer_rules(play: str) -> str:
    """How an agent's own words are read; ``play`` is the setting's value."""
    return _PLAN_RULES if play == PLAN else _STEP_RULES


def opening_text(feedback: FeedbackMode, scene: str) -> str:
    """What is told before the first step; ``scene`` as in `step_told`."""
    return f"{NOTHING_DONE}\n{scene}" if feedback is FeedbackMode.DETAILED else NOTHING_DONE


def step_feedback(number: int, problems: Sequence[str], feedback: FeedbackMode, scene: str) -> str:
    """What is told of a step, counted from 1: no more than the feedback allows. ``problems``: why
    it was not done; ``scene``: what the agent knows of the house after it."""
    match feedback:
        case FeedbackMode.NONE:
            return f"Step {number} has been tried."
        case FeedbackMode.SIMPLE:
            return f"Step {number} {'failed' if problems else 'worked'}."
        case FeedbackMode.DETAILED:
            said = f"failed: {'; '.join(problems)}." if problems else "worked."
            return f"Step {number} {said}\n{scene}"


# --- How an agent that plays step by step says that it is done

DONE = "done"

_SAID = re.compile(rf"\s*{DONE}\s*(\(\s*\))?[.!]?\s*", re.IGNORECASE)


def step_space() -> ActionSpace:
    """All actions of plans, and the one that ends the episode."""
    done = Skill(DONE, "Say that the task is fulfilled.")
    return ActionSpace((*action_space().skills, done))


def is_done(action: Action) -> bool:
    """Whether an action says so, and nothing else."""
    match action:
        case SkillCall(name) | Plan((SkillCall(name),)) | Text(name):
            return _SAID.fullmatch(name) is not None
        case _:
            return False


def is_done_amid_words(read: ReadPlan) -> bool:
    """Whether the one step in a text of any kind is "done()", as where a model thinks aloud."""
    step = read.steps[0] if len(read.steps) == 1 else None
    return step is not None and not step.arguments and step.word.lower() == DONE
