"""Grounding a step at a time, while the plan is being made."""

from __future__ import annotations

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.assignment import cost_of
from env_service.suites.actplan.grounding.drafting import Drafter
from env_service.suites.actplan.grounding.entities import are_apart
from env_service.suites.actplan.grounding.grounded import GroundedStep, Level
from env_service.suites.actplan.grounding.home import home_of
from env_service.suites.actplan.grounding.reading_of import Reading
from env_service.suites.actplan.plans.step import PlanStep
from env_service.worlds.activity.naming import number_of
from env_service.worlds.activity.world import ActivityWorld

_TAKEN = 1.5
"""What it costs that another name has the instance already."""
_OUT_OF_REACH = 0.6
"""What it costs that the agent does not reach it where it is."""


class OnlineGrounder:
    """Names keep the instances that they were given first: what was done is done.

    Steps may be refused: what is held is what the world says. A thing's own name and number, by
    which the world tells of it, is that thing's. Of several instances that another name may stand
    for, the one is taken that fits its words, that no other name has, and that the agent reaches.
    """

    def __init__(self, activity: Activity, level: Level = Level.NAMES) -> None:
        self._home = home_of(activity.problem)
        self._level = level
        self._drafter = Drafter(self._home, level)
        self._found: list[str] = []

    def ground_step(self, step: PlanStep, world: ActivityWorld) -> GroundedStep:
        """The step with instances for names, as things are in ``world``, which is not changed."""
        numbers = {name: number for number, name in enumerate(self._found) if name}
        self._drafter.recall(
            [numbers[each] for each in world.held if each in numbers],
            {number for number, name in enumerate(self._found) if world.was_moved(name)},
        )
        drafted = self._drafter.draft(step)
        for number in range(len(self._found), len(self._drafter.entities)):
            self._found.append(self._choose(number, world))
        entities, heard = self._drafter.entities, self._drafter.registry.heard
        reading = Reading(self._home, self._level, (drafted,), entities, self._found, heard)
        return reading.grounded(drafted)

    def _choose(self, number: int, world: ActivityWorld) -> str:
        entity = self._drafter.entities[number]
        if entity.phantom:
            return ""
        instances = [
            each
            for each in self._home.instances[entity.category]
            if not any(
                name == each and are_apart(entity, other)
                for name, other in zip(self._found, self._drafter.entities, strict=False)
            )
        ]
        if entity.exact and entity.index:
            named = [each for each in instances if number_of(each) == entity.index]
            if named:
                return named[0]

        def cost(instance: str) -> float:
            taken = _TAKEN * (instance in self._found)
            reach = _OUT_OF_REACH * (not world.near(instance))
            return cost_of(self._home, entity, instance, self._found) + taken + reach

        return min(instances, key=cost, default="")
