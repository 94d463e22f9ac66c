"""The suite: its tasks, and what the service asks about them. The rules are in episode.py."""

from __future__ import annotations

from collections.abc import Mapping

from env_service.domain.action import SkillCall
from env_service.domain.episode import Mode
from env_service.domain.observation import ObservationOffer
from env_service.domain.outcome import Disclosure, FeedbackMode
from env_service.domain.task import Task, TaskSet
from env_service.suites.base import Condition, EpisodeOrder, ExpertRun, PlainSuite, Setting
from env_service.suites.reporting import COMMON_DESIGN, ReportDesign

from .episode import DROP, LEFT, RIGHT, TAKE, ParcelEpisode

ROUTES = ((0, 1, 2), (1, 0, 2), (2, 3, 1), (0, 4, 1), (4, 0, 3), (2, 0, 4))
"""For each task, by room number: the agent's start, the parcel's start, and the goal."""


class MySuite(PlainSuite):
    """Parcels to carry from room to room. See ``env_service.suites.base.Suite`` for each member's
    contract."""

    name = "my_suite"
    version = "1"
    description = "Parcels to carry through a row of rooms."
    worlds: tuple[str, ...] = ("my_suite",)
    settings = (
        Setting("feedback", "How much of an outcome is disclosed.", ("detailed", "simple", "none")),
    )
    modes: tuple[Mode, ...] = (Mode.STEPWISE,)
    packages: tuple[str, ...] = ("my-suite",)
    deterministic: tuple[str, ...] = worlds
    report: ReportDesign = COMMON_DESIGN

    def task_sets(self) -> Mapping[str, TaskSet]:
        """One set. Reports break results down by a task's group; its cluster is what makes tasks
        dependent, here the parcel's room."""
        tasks = []
        for number, (start, parcel, goal) in enumerate(ROUTES):
            distance = abs(start - parcel) + abs(parcel - goal)
            data = {"start": start, "parcel": parcel, "goal": goal}
            group = "near" if distance <= 3 else "far"
            tasks.append(Task(f"parcel/{number}", group, f"room-{parcel}", data))
        return {"parcels": TaskSet("parcels", "One parcel to carry.", tuple(tasks))}

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        """The tasks need no data pack."""
        del task_set, world
        return {}

    def episodes_per_worker(self, world: str) -> int:
        """Many: the world is light."""
        del world
        return 64

    def disclosure(self, condition: Condition) -> Disclosure:
        """The value of the setting ``feedback``."""
        return Disclosure(FeedbackMode(condition["feedback"]), step_limit=True)

    def offer(self, condition: Condition) -> ObservationOffer:
        """Only text."""
        del condition
        return ObservationOffer(text=True)

    def open_episode(self, order: EpisodeOrder) -> ParcelEpisode:
        """Creates the episode."""
        return ParcelEpisode(order)

    def expert(self, order: EpisodeOrder) -> ExpertRun:
        """Walks to the parcel, takes it, and carries it to the goal."""
        start, parcel, goal = (int(order.task.data[key]) for key in ("start", "parcel", "goal"))
        actions = (*walk(start, parcel), TAKE, *walk(parcel, goal), DROP)
        return ExpertRun(actions, success=True)


def walk(start: int, goal: int) -> tuple[SkillCall, ...]:
    """The steps from one room to another."""
    return (RIGHT if goal > start else LEFT,) * abs(goal - start)
