"""Solves a task of AsgardBench: plays it a few times, each in a fresh scene and with the experience
of the plays before, and returns the best play.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from env_service.domain.action import SkillCall
from env_service.suites.asgard.action_language import OBJECT, Command, Verb, objects_in
from env_service.suites.asgard.actions.executor import ActionExecutor, ActionOutcome, turn_knife
from env_service.suites.asgard.ai2thor_start import start_for
from env_service.suites.asgard.conditions import rules_of
from env_service.suites.asgard.expert.play import (
    Actor,
    Experience,
    Objective,
    Play,
    PlayOver,
    StuckError,
)
from env_service.suites.asgard.expert.subgoals import Subgoal, subgoals
from env_service.suites.asgard.expert.transport import shut_beside
from env_service.suites.asgard.goals import goals_of
from env_service.suites.asgard.limits import StepLimits
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import RequiredEvent
from env_service.suites.asgard.setup import set_up
from env_service.suites.asgard.task_sets import AsgardTask, read_task
from env_service.suites.base import EpisodeOrder, ExpertRun
from env_service.worlds.ai2thor_api.controller import ThorController
from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
from env_service.worlds.ai2thor_api.world_registry import open_world

ATTEMPTS = 3
"""Plays of one task at most. One that was won without a slip is the last."""


def solve(order: EpisodeOrder) -> ExpertRun:
    """The actions of the best play, refused ones included: they lead from the opening of the same
    order to its end.

    Raises:
        PlanError: the task cannot be read.
        ValueError: no such world exists, or it has no such scene.
        WorldUnavailableError: this machine cannot run the world.
        WorldFault: the world broke, or the task cannot be set up in it.
    """
    best = best_attempt(order)
    return ExpertRun(tuple(map(_call, best.steps)), best.won)


def best_attempt(order: EpisodeOrder, *, most: int = ATTEMPTS) -> ExpertAttempt:
    """The best of at most so many plays (at least 1): one that is won, in the fewest steps. Raises
    as `solve` does."""
    task = read_task(order.task)
    experience = Experience()
    attempts: list[ExpertAttempt] = []
    while len(attempts) < most:
        attempts.append(_attempt(order, task, experience))
        if attempts[-1].is_flawless:
            break
    return min(attempts, key=lambda each: (not each.won, len(each.steps)))


def _attempt(order: EpisodeOrder, task: AsgardTask, experience: Experience) -> ExpertAttempt:
    share_floor_plans()
    world = open_world(order.world, task.plan.scene, start_for(order.condition))
    try:
        set_up(world, task.plan)
        rules = rules_of(order.condition)
        goals = goals_of(task.plan, rules)
        actor = _Agent(world, ActionExecutor(world, rules, goals, seed=order.seed))
        words = frozenset(task.available or objects_in(actor.view))
        objective = Objective(goals, rules, StepLimits.of(task.plan.step_count), words)
        return play_out(actor, objective, experience)
    finally:
        world.stop()


class _Agent:
    """Acts as an agent's turns do in an episode."""

    def __init__(self, world: ThorController, executor: ActionExecutor) -> None:
        self._world, self._executor = world, executor

    @property
    def view(self) -> AsgardView:
        """The scene now."""
        return self._executor.view

    @property
    def events(self) -> Collection[RequiredEvent]:
        """What was done so far that goals may ask for."""
        return self._executor.events

    def do(self, verb: Verb, object_type: str) -> ActionOutcome:
        """Carries out one action, after which a picture is taken."""
        done = self._executor.do(verb, object_type)
        turn_knife(self._world, self._executor.view)
        return done


def _call(command: Command) -> SkillCall:
    return SkillCall(command.verb.value, ((OBJECT, command.object_type),))


# --- Plays a task to its end: one subgoal after the other, with a new plan after each dead end

MOST_DEAD_ENDS = 12
"""After so many the task is given up."""


@dataclass(frozen=True, slots=True)
class ExpertAttempt:
    """One play of a task.

    Attributes:
        steps: all actions, in order, refused ones included.
        refused: which of them the environment refused, and its words.
        won: whether every goal was met at the end.
        dead_ends: what was given up on the way.
    """

    steps: tuple[Command, ...]
    refused: tuple[tuple[Command, str], ...]
    won: bool
    dead_ends: tuple[str, ...]

    @property
    def is_flawless(self) -> bool:
        """Whether it was won without a refused action and without a dead end."""
        return self.won and not self.refused and not self.dead_ends


def play_out(actor: Actor, objective: Objective, experience: Experience) -> ExpertAttempt:
    """Plays until the goals are met, no step is left, or nothing more can be tried."""
    play = Play(actor, objective, experience)
    dead_ends: list[str] = []
    won = False
    try:
        _run(play, subgoals(objective.goals), dead_ends)
    except PlayOver as over:
        won = over.won
    return ExpertAttempt(tuple(play.steps), tuple(play.refused), won, tuple(dead_ends))


def _run(play: Play, ordered: list[Subgoal], dead_ends: list[str]) -> None:
    while len(dead_ends) < MOST_DEAD_ENDS:
        subgoal = next((each for each in ordered if not each.is_done(play)), None)
        if subgoal is None:
            dead_ends.append("all is done, but some goal is not met")
            return
        try:
            subgoal.perform(play)
        except StuckError as stuck:
            dead_ends.append(f"{subgoal.name}: {stuck}")
            shut_beside(play)
            # Another one first: it may change what stood in the way.
            ordered = [*(each for each in ordered if each is not subgoal), subgoal]
        else:
            if not subgoal.is_done(play):
                dead_ends.append(f"{subgoal.name}: it is not done after all")
