"""Finds a plan that solves a task when it is carried out blindly from the opening: plays the task
in fresh scenes, each play with the experience of the plays before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from env_service.domain.action import Action, Plan, SkillCall
from env_service.suites.alfred.ai2thor_start import thor_start
from env_service.suites.alfred.conditions import PLAN, rules_of
from env_service.suites.alfred.expert.play import (
    ExhaustedError,
    Experience,
    ForeseeingRobot,
    Play,
    StuckError,
    TakenStep,
)
from env_service.suites.alfred.expert.subgoals import advance
from env_service.suites.alfred.expert.transport import clear
from env_service.suites.alfred.goals import evaluate
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.setup.opening import set_up
from env_service.suites.alfred.skills.steps import Marks, SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import AlfredTask, Goal, read_task
from env_service.suites.base import EpisodeOrder, ExpertRun
from env_service.worlds.ai2thor_api.world_registry import open_task_scene

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
    a step with "done" last. If that takes more steps than the episode allows, the actions stop at
    the limit, and the run does not succeed.

    Raises:
        KeyError, TypeError, ValueError: the task belongs to another suite, or no such world exists.
        WorldUnavailableError: this machine cannot run the world.
        WorldFault: the world broke, or the task cannot be set up in it.
    """
    play = order.condition["play"]
    site = ExpertSite(read_task(order.task), order.world, rules_of(order.condition))
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
    found = solution_of(ExpertSite(task, world, rules))
    if not found.solved:
        raise UnsolvedError(f"{task.id}: {'; '.join(found.dead_ends) or 'nothing was tried'}")
    return found.steps


def solution_of(site: ExpertSite) -> Solution:
    """The shortest plan of a few plays. Raises as `solve` does."""
    experience = Experience()
    attempts: list[ExpertAttempt] = []
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


def _is_enough(attempts: Sequence[ExpertAttempt]) -> bool:
    """Whether the last play came to the same dead ends as the one before."""
    last, before = attempts[-1], attempts[-2] if len(attempts) > 1 else None
    return before is not None and set(last.dead_ends) == set(before.dead_ends)


def _proved(site: ExpertSite, attempt: ExpertAttempt) -> tuple[SkillStep, ...] | None:
    """The least of a play that reaches the goal; None for one that was not won."""
    if not attempt.won:
        return None
    return next(each for each in _versions(attempt) if each == attempt.steps or site.proves(each))


def _versions(attempt: ExpertAttempt) -> Iterator[tuple[SkillStep, ...]]:
    yield attempt.useful
    yield attempt.effective
    yield attempt.steps


def _shorter(
    one: tuple[SkillStep, ...] | None, other: tuple[SkillStep, ...] | None
) -> tuple[SkillStep, ...] | None:
    found = [each for each in (one, other) if each is not None]
    return min(found, key=len, default=None)


# --- Plays a task to its end: one subgoal at a time, with a new plan after each dead end

MOST_DEAD_ENDS = 8
"""After so many a play is given up."""


@dataclass(frozen=True, slots=True)
class ExpertAttempt:
    """One play of a task.

    Attributes:
        taken: all its steps, in order.
        won: whether the goal was reached at the end.
        dead_ends: what was given up on the way.
    """

    taken: tuple[TakenStep, ...]
    won: bool
    dead_ends: tuple[str, ...]

    @property
    def steps(self) -> tuple[SkillStep, ...]:
        """All steps, also those that did not work."""
        return tuple(each.step for each in self.taken)

    @property
    def useful(self) -> tuple[SkillStep, ...]:
        """The steps without those that led nowhere."""
        return tuple(each.step for each in self.taken if not each.wasted)

    @property
    def effective(self) -> tuple[SkillStep, ...]:
        """The steps without those that did not work and left the hand as it was."""
        return tuple(each.step for each in self.taken if not each.idle)


def play_out(play: Play) -> ExpertAttempt:
    """Plays until the goal is reached, no step is left, or nothing more can be tried."""
    dead_ends: list[str] = []
    try:
        _make_room(play, dead_ends)
        while not play.met and len(dead_ends) < MOST_DEAD_ENDS:
            try:
                advance(play)
            except StuckError as stuck:
                if str(stuck) in dead_ends:
                    break
                dead_ends.append(str(stuck))
    except ExhaustedError as exhausted:
        dead_ends.append(str(exhausted))
    return ExpertAttempt(tuple(play.taken), play.met, tuple(dead_ends))


def _make_room(play: Play, dead_ends: list[str]) -> None:
    """While the hand is empty: where an earlier play had to."""
    for each in sorted(play.experience.crowded):
        try:
            clear(play, each)
        except StuckError as stuck:
            dead_ends.append(str(stuck))


# --- Opens a fresh scene for each play


@dataclass(frozen=True, slots=True)
class ExpertSite:
    """A task in a world under rules. All methods raise WorldFault if the world breaks, or as
    DATA_FAULT where the task cannot be played in it; WorldUnavailableError if this machine cannot
    run it."""

    task: AlfredTask
    world: str = "household"
    rules: Rules = EXACT

    def attempt(self, experience: Experience, *, tidy: bool) -> ExpertAttempt:
        """Plays the task from its opening. See `Play` for ``tidy``."""
        with self._opened() as (robot, goal):
            return play_out(Play(robot, goal, self._reached(goal), experience, tidy=tidy))

    def proves(self, steps: Sequence[SkillStep]) -> bool:
        """Whether the steps, carried out blindly from the opening, reach the goal."""
        with self._opened() as (robot, goal):
            for each in steps:
                robot.do(each)
            return self._reached(goal)(robot.view, robot.marks)

    def _reached(self, goal: Goal) -> _Reached:
        return _Reached(goal, self.rules)

    @contextmanager
    def _opened(self) -> Iterator[tuple[ForeseeingRobot, Goal]]:
        task = self.task
        world = open_task_scene(task.id, self.world, task.setup.scene, thor_start())
        try:
            prepared = set_up(world, self.task)
            yield ForeseeingRobot(world, self.rules, prepared.aliases), prepared.goal
        finally:
            world.stop()


@dataclass(frozen=True, slots=True)
class _Reached:
    goal: Goal
    rules: Rules

    def __call__(self, view: AlfredView, marks: Marks) -> bool:
        return all(each.met for each in evaluate(self.goal, view, marks, self.rules))


# --- A plan as the actions of an agent

MOST_STEPS = 25
"""Of an episode that is played step by step (LoTa-Bench's planner.max_steps, docs/alfred.md,
"Conditions")."""

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


# --- How long the way to a goal is: L* of the path-weighted scores s · min(1, L*/T)


def path_length(task: AlfredTask, world: str = "household") -> int:
    """The number of skills in the task's reference plan, or in the expert's plan if the task has no
    reference; "done" does not count.

    ALFRED counts low-level actions (docs/alfred-rules.md, "Scores"): steps of 25 cm, turns, looks.
    Plans of skills have none, so both sides of the fraction count skills here.

    Raises:
        UnsolvedError: the task has no reference, and the expert found no plan.
        WorldUnavailableError, WorldFault: the task has no reference, and this machine cannot run
            the world, or the task cannot be set up in it.
    """
    return len(task.reference) or len(plan_for(task, world))
