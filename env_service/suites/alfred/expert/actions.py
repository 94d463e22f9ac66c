"""A plan as the actions of an agent."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.domain.action import Action, Plan, SkillCall
from env_service.suites.alfred.conditions import PLAN
from env_service.suites.alfred.skills.step import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text

MOST_STEPS = 25
"""Of an episode that is played step by step (LoTa-Bench's planner.max_steps, spec section 3.1)."""

_DONE = SkillStep(Verb.DONE)


def actions_of(steps: Sequence[SkillStep], play: str) -> tuple[Action, ...]:
    """The plan at once, or a skill a turn, by the value of the setting ``play``. "done" ends it
    unless the episode has ended before: it does after `MOST_STEPS` steps, and what is beyond them
    is left out."""
    if play == PLAN:
        return (Plan(tuple(map(call_of, (*steps, _DONE)))),)
    taken = steps[:MOST_STEPS]
    ending = (_DONE,) if len(taken) < MOST_STEPS else ()
    return tuple(map(call_of, (*taken, *ending)))


def call_of(step: SkillStep) -> SkillCall:
    """A step as a skill call: its verb, and what it is about with the article."""
    name = step.verb.value
    words = skill_text(step).removeprefix(name).strip()
    return SkillCall(name, (("object", words),) if words else ())
