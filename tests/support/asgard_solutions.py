"""Plays the published solutions of AsgardBench action by action in the household world.

Things lie elsewhere there than where they lay when a solution was made: the two worlds place at
random in their own ways. So a solution may lack a FIND for something that was in view then, or an
OPEN; those are added. What else a solution takes for granted is a matter of luck: that food does
not lie in a dish, that the sink is free. In a tidy room, where everything lies on counters and
tables, it mostly holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.executor import ActionExecutor, ActionOutcome
from env_service.suites.asgard.ai2thor_start import INITIALIZATION
from env_service.suites.asgard.goals import GoalProgress, GoalTracker, goals_of
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import AsgardPlan, Family
from env_service.suites.asgard.plan_reader import read_plan
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.setup import prepare
from env_service.suites.asgard.wording import Reason
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.library import standard_library
from env_service.worlds.household.simulator import Library

SURFACES = frozenset({"CoffeeTable", "CounterTop", "DiningTable", "SideTable"})
"""The place of every object in a tidy room."""

MOST_REPAIRS = 3
"""Added actions for one of the solution's."""

Step = tuple[Verb, str]


@dataclass(frozen=True)
class Solved:
    """A plan and its published solution."""

    plan: AsgardPlan
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Failed:
    """A step of a solution, counted from 1, that failed in spite of the added ones."""

    number: int
    step: Step
    done: ActionOutcome


@dataclass(frozen=True)
class Replayed:
    """How a solution went. ``added``: how many actions it took in addition."""

    progress: GoalProgress
    failed: tuple[Failed, ...]
    added: int

    @property
    def solved(self) -> bool:
        """Whether all goals are reached."""
        return self.progress.all_met


def published(pack: Path) -> Iterator[Solved]:
    """The plans of the data pack that have a published solution, by name."""
    folder = pack / "Generated" / "magt_benchmark"
    plans = {}
    for path in sorted(folder.glob("*/plan.json")):
        plan = read_plan(json.loads(path.read_text(encoding="utf-8")), path.parent.name)
        plans[plan.name] = plan
    listed = json.loads((pack / "solutions.json").read_text(encoding="utf-8"))
    for entry in sorted(listed, key=lambda each: str(each["name"])):
        steps = tuple((Verb(verb), str(kind)) for verb, kind in entry["solution"])
        yield Solved(plans[entry["name"]], steps)


def play(
    solved: Solved, rules: Rules, floor_plans: Path, *, tidy: bool, repair: bool = True
) -> Replayed:
    """Plays a solution from the task's opening, or from that in a tidy room.

    Args:
        solved: the plan and what to do.
        rules: to play by.
        floor_plans: the folder of AI2-THOR's object metadata.
        tidy: puts everything on counters and tables first.
        repair: adds FIND and OPEN where they are missing.
    """
    plan = solved.plan
    world = HouseholdController(
        plan.scene, library=_library(floor_plans), width=300, height=300, **INITIALIZATION
    )
    try:
        prepare(world, plan)
        if tidy:
            tidy_up(world, plan)
        goals = goals_of(plan, rules)
        replay = _Replay(
            ActionExecutor(world, rules, goals, seed=plan.seed), GoalTracker(goals, rules)
        )
        return replay.run(solved.steps, repair=repair)
    finally:
        world.stop()


def tidy_up(world: HouseholdController, plan: AsgardPlan) -> None:
    """Puts everything that can be carried on counters and tables, pans on the stove. A table that
    is to be set stays empty."""
    surfaces = SURFACES - ({"DiningTable"} if plan.family is Family.SET_TABLE else set())
    _spread(world, plan.seed, surfaces, pans=False)
    _spread(world, plan.seed, frozenset({"StoveBurner"}), pans=True)


def _spread(world: HouseholdController, seed: int, surfaces: frozenset[str], *, pans: bool) -> None:
    objects = world.last_event.metadata["objects"]
    world.step(
        "InitialRandomSpawn",
        randomSeed=seed,
        forceVisible=True,
        excludedReceptacles=sorted({each["objectType"] for each in objects} - surfaces),
        excludedObjectIds=[
            each["objectId"] for each in objects if (each["objectType"] == "Pan") is not pans
        ],
    )


@cache
def _library(floor_plans: Path) -> Library:
    return standard_library(floor_plans)


class _Replay:
    """One solution at play."""

    def __init__(self, executor: ActionExecutor, tracker: GoalTracker) -> None:
        self._executor, self._tracker = executor, tracker
        self._progress = tracker.begin(executor.view)
        self._added = 0

    def run(self, steps: Sequence[Step], *, repair: bool) -> Replayed:
        """Plays them all, whatever becomes of each."""
        failed = []
        for number, step in enumerate(steps, 1):
            done = self._step(step)
            for _ in range(MOST_REPAIRS if repair else 0):
                remedy = None if done.success else self._remedy(step, done)
                if remedy is None:
                    break
                self._added += 1
                self._step(remedy)
                done = self._step(step)
            if not done.success:
                failed.append(Failed(number, step, done))
        return Replayed(self._progress, tuple(failed), self._added)

    def _step(self, step: Step) -> ActionOutcome:
        done = self._executor.do(*step)
        self._progress = self._tracker.evaluate(self._executor.view, self._executor.events)
        return done

    def _remedy(self, step: Step, done: ActionOutcome) -> Step | None:
        """What was not needed where the solution was made."""
        kind = step[1]
        if done.reason is Reason.CONTAINER_CLOSED and step[0] is Verb.PUT:
            return Verb.OPEN, kind
        if done.reason is not Reason.NOT_VISIBLE:
            return None
        door = _closed_door(self._executor.view, kind)
        return (Verb.OPEN, door) if door is not None else (Verb.FIND, kind)


def _closed_door(view: AsgardView, kind: str) -> str | None:
    """Type of the closed container, in view, that the first object of a type is in."""
    item = view.first(kind)
    door = view.closed_parent(item) if item is not None and item["pickupable"] else None
    return str(door["objectType"]) if door is not None and view.visible(door) else None
