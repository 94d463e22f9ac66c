"""Solves a task: plays it a few times in a fresh house, each time with what the plays before have
taught, and gives the best play."""

from __future__ import annotations

from collections.abc import Collection

from env_service.domain.action import SkillCall
from env_service.suites.asgard.conditions import rules_of
from env_service.suites.asgard.doing import Doer, Done
from env_service.suites.asgard.expert.execution import Attempt, play_out
from env_service.suites.asgard.expert.experience import Experience
from env_service.suites.asgard.expert.play import Charge
from env_service.suites.asgard.goals import goals_of
from env_service.suites.asgard.grip import turn_knife
from env_service.suites.asgard.limits import StepLimits
from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.pictures import start_of
from env_service.suites.asgard.plan import Deed
from env_service.suites.asgard.setup import set_up
from env_service.suites.asgard.task_sets import AsgardTask, read_task
from env_service.suites.asgard.view import HouseView
from env_service.suites.asgard.vocabulary import OBJECT, Verb, objects_in
from env_service.suites.base import EpisodeOrder, ExpertRun
from env_service.suites.scenes import share_floor_plans
from env_service.worlds.thor.controller import ThorController
from env_service.worlds.thor.opening import open_world

ATTEMPTS = 3
"""Plays of one task at most. One that was won without a slip is the last."""


def solve(order: EpisodeOrder) -> ExpertRun:
    """The actions of the best play, refused ones included: they lead from the opening of the same
    order to its end.

    Raises:
        PlanError: the task cannot be read.
        ValueError: there is no such world, or it has no such scene.
        WorldUnavailableError: the world cannot be had on this machine.
        WorldFault: it broke, or the task cannot be set up in it.
    """
    best = best_attempt(order)
    return ExpertRun(tuple(map(_call, best.steps)), best.won)


def best_attempt(order: EpisodeOrder, *, most: int = ATTEMPTS) -> Attempt:
    """The best of at most so many plays (at least 1): one that is won, in the fewest steps. Raises
    as `solve` does."""
    task = read_task(order.task)
    experience = Experience()
    attempts: list[Attempt] = []
    while len(attempts) < most:
        attempts.append(_attempt(order, task, experience))
        if attempts[-1].is_flawless:
            break
    return min(attempts, key=lambda each: (not each.won, len(each.steps)))


def _attempt(order: EpisodeOrder, task: AsgardTask, experience: Experience) -> Attempt:
    share_floor_plans()
    world = open_world(order.world, task.plan.scene, start_of(order.condition))
    try:
        set_up(world, task.plan)
        rules = rules_of(order.condition)
        goals = goals_of(task.plan, rules)
        actor = _Guest(world, Doer(world, rules, goals, seed=order.seed))
        words = frozenset(task.available or objects_in(actor.view))
        charge = Charge(goals, rules, StepLimits.of(task.plan.step_count), words)
        return play_out(actor, charge, experience)
    finally:
        world.stop()


class _Guest:
    """Acts as an agent's turns do in an episode."""

    def __init__(self, world: ThorController, doer: Doer) -> None:
        self._world, self._doer = world, doer

    @property
    def view(self) -> HouseView:
        """The house now."""
        return self._doer.view

    @property
    def deeds(self) -> Collection[Deed]:
        """What was done so far that goals may ask for."""
        return self._doer.deeds

    def do(self, verb: Verb, object_type: str) -> Done:
        """Carries out one action, after which a picture is taken."""
        done = self._doer.do(verb, object_type)
        turn_knife(self._world, self._doer.view)
        return done


def _call(command: Command) -> SkillCall:
    return SkillCall(command.verb.value, ((OBJECT, command.object_type),))
