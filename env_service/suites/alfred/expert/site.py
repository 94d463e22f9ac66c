"""Where a task is played: a fresh house, as often as asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.alfred.expert.attempts import Attempt, play_out
from env_service.suites.alfred.expert.experience import Experience
from env_service.suites.alfred.expert.guest import Guest
from env_service.suites.alfred.expert.play import Play
from env_service.suites.alfred.goals.evaluation import evaluate
from env_service.suites.alfred.house import House
from env_service.suites.alfred.rules import EXACT, Rules
from env_service.suites.alfred.setup.setting import set_up
from env_service.suites.alfred.skills.step import Marks, SkillStep
from env_service.suites.alfred.start import thor_start
from env_service.suites.alfred.task import AlfredTask, Goal
from env_service.suites.scenes import share_floor_plans
from env_service.worlds.thor.opening import open_world


@dataclass(frozen=True, slots=True)
class Site:
    """A task in a world under rules. All methods raise WorldFault if the world breaks, or as
    DATA_FAULT where the task cannot be played in it; WorldUnavailableError if it cannot be had on
    this machine."""

    task: AlfredTask
    world: str = "household"
    rules: Rules = EXACT

    def attempt(self, experience: Experience, *, tidy: bool) -> Attempt:
        """Plays the task from its opening. See `Play` for ``tidy``."""
        with self._opened() as (robot, goal):
            return play_out(Play(robot, goal, self._reached(goal), experience, tidy=tidy))

    def proves(self, steps: Sequence[SkillStep]) -> bool:
        """Whether the steps, carried out blindly from the opening, reach the goal."""
        with self._opened() as (robot, goal):
            for each in steps:
                robot.do(each)
            return self._reached(goal)(robot.house, robot.marks)

    def _reached(self, goal: Goal) -> _Reached:
        return _Reached(goal, self.rules)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Guest, Goal]]:
        share_floor_plans()
        scene = self.task.setup.scene
        try:
            world = open_world(self.world, scene, thor_start())
        except ValueError as error:
            detail = f"{self.task.id} cannot be opened in {self.world}: {error}"
            raise WorldFault(FaultClass.DATA_FAULT, detail) from error
        try:
            prepared = set_up(world, self.task)
            yield Guest(world, self.rules, prepared.aliases), prepared.goal
        finally:
            world.stop()


@dataclass(frozen=True, slots=True)
class _Reached:
    goal: Goal
    rules: Rules

    def __call__(self, house: House, marks: Marks) -> bool:
        return all(each.met for each in evaluate(self.goal, house, marks, self.rules))
