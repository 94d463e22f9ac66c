"""How an agent that plays step by step says that it is done."""

from __future__ import annotations

import re

from env_service.domain.action import Action, ActionSpace, Plan, Skill, SkillCall, Text
from env_service.suites.actplan.plans.actions import action_space
from env_service.suites.actplan.plans.step import ReadPlan

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
