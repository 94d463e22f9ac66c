"""How an agent that plays step by step says that it is done."""

from __future__ import annotations

import re

from env_service.domain.action import Action, ActionSpace, Plan, Skill, SkillCall, Text
from env_service.suites.actplan.plans.actions import action_space

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
