"""Finds a plan that solves a task when it is carried out blindly from the opening.

It plays the task a few times in a fresh house, each time with what the plays before have taught.
What led nowhere is left out of a play that is won, and the rest is proved by playing it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from env_service.suites.alfred.conditions import PLAN, rules_of
from env_service.suites.alfred.expert.actions import MOST_STEPS, actions_of
from env_service.suites.alfred.expert.attempts import Attempt
from env_service.suites.alfred.expert.experience import Experience
from env_service.suites.alfred.expert.site import Site
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.skills.step import SkillStep
from env_service.suites.alfred.task import AlfredTask, read_task
from env_service.suites.base import EpisodeOrder, ExpertRun

ATTEMPTS = 3
"""Plays of one task at most, one more without tidying up where plans are long."""


class UnsolvedError(Exception):
    """The expert found no plan. The message says where it got stuck."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What the expert found.

    Attributes:
        steps: the plan, without "done"; what the last play did where none was won.
        solved: whether it was proved to reach the goal.
        dead_ends: what was given up on the way, play by play.
    """

    steps: tuple[SkillStep, ...]
    solved: bool
    dead_ends: tuple[str, ...]


def solve(order: EpisodeOrder) -> ExpertRun:
    """The actions that lead from the opening of the same order to its goal: one plan, or one skill
    a step with "done" last. Where it takes more steps than the episode allows, those that it does
    allow, and no success.

    Raises:
        KeyError, TypeError, ValueError: the task is none of this suite, or there is no such world.
        WorldUnavailableError: the world cannot be had on this machine.
        WorldFault: it broke, or the task cannot be set up in it.
    """
    play = order.condition["play"]
    site = Site(read_task(order.task), order.world, rules_of(order.condition))
    found = solution_of(site)
    in_time = play == PLAN or len(found.steps) <= MOST_STEPS
    return ExpertRun(actions_of(found.steps, play), found.solved and in_time)


def plan_for(
    task: AlfredTask, world: str = "household", rules: Rules = EXACT
) -> tuple[SkillStep, ...]:
    """A plan that was proved to solve the task, without "done".

    Raises:
        UnsolvedError: none was found.
        WorldUnavailableError, WorldFault: as `solve`.
    """
    found = solution_of(Site(task, world, rules))
    if not found.solved:
        raise UnsolvedError(f"{task.id}: {'; '.join(found.dead_ends) or 'nothing was tried'}")
    return found.steps


def solution_of(site: Site) -> Solution:
    """The shortest plan of a few plays. Raises as `solve` does."""
    experience = Experience()
    attempts: list[Attempt] = []
    best: tuple[SkillStep, ...] | None = None
    while len(attempts) < ATTEMPTS:
        known = experience.size
        attempts.append(site.attempt(experience, tidy=True))
        best = _shorter(best, _proved(site, attempts[-1]))
        if _is_enough(attempts) or (best is not None and experience.size == known):
            break
    if best is not None and len(best) > MOST_STEPS:
        attempts.append(site.attempt(experience, tidy=False))
        best = _shorter(best, _proved(site, attempts[-1]))
    dead_ends = tuple(dict.fromkeys(end for each in attempts for end in each.dead_ends))
    return Solution(attempts[-1].steps if best is None else best, best is not None, dead_ends)


def _is_enough(attempts: Sequence[Attempt]) -> bool:
    """Whether the last play came to the same dead ends as the one before."""
    last, before = attempts[-1], attempts[-2] if len(attempts) > 1 else None
    return before is not None and set(last.dead_ends) == set(before.dead_ends)


def _proved(site: Site, attempt: Attempt) -> tuple[SkillStep, ...] | None:
    """The least of a play that reaches the goal; None for one that was not won."""
    if not attempt.won:
        return None
    return next(each for each in _versions(attempt) if each == attempt.steps or site.proves(each))


def _versions(attempt: Attempt) -> Iterator[tuple[SkillStep, ...]]:
    yield attempt.useful
    yield attempt.effective
    yield attempt.steps


def _shorter(
    one: tuple[SkillStep, ...] | None, other: tuple[SkillStep, ...] | None
) -> tuple[SkillStep, ...] | None:
    found = [each for each in (one, other) if each is not None]
    return min(found, key=len, default=None)
