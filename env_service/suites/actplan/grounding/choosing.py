"""Choosing between readings of a plan with the executor: annotators' numbering has no relation to
the definition's, so which of several equal things is meant is told by what the plan does with it
(spec: actplan.md section 3.2, step 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from env_service.suites.actplan.grounding.assignment import cost_of
from env_service.suites.actplan.grounding.entities import are_apart
from env_service.suites.actplan.grounding.goals import nearness, spoken_of
from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.grounding.reading_of import Reading
from env_service.worlds.activity.holding import Reading as Freely
from env_service.worlds.activity.world import ActivityWorld

MOST_TRIALS, MOST_STEPS = 40, 4_000
"""How often a plan is carried out on trial, and how many steps these trials have in all, at the
most; once is always tried."""
_COST = 0.02
"""What a point of `cost_of` weighs against the share of the goal that is reached."""


def improve(reading: Reading) -> tuple[Reading, float]:
    """The reading, of those that differ in which instances of a kind its entities are, that brings
    the plan nearest to the goal as far as limited trials find it, and how near (`nearness`)."""
    search = _Search(reading)
    search.climb()
    return reading.with_found(search.best), search.near


@dataclass(frozen=True, slots=True)
class _Worth:
    near: float
    value: float


class _Search:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._opening = ActivityWorld(reading.home.problem, None, reading.phantoms())
        relaxed = reading.level >= Level.RELAXED
        self._freely = Freely.RELAXED if relaxed else Freely.STRICT
        self._trials = min(MOST_TRIALS, MOST_STEPS // max(1, len(reading.steps)))
        self.best = list(reading.found)
        self._worth = self._try(self.best)

    @property
    def near(self) -> float:
        """How near the best reading so far brings the plan to the goal."""
        return self._worth.near

    def climb(self) -> None:
        """Takes the first exchange that helps, and goes on from there."""
        helped = True
        while helped and self._trials > 0 and self._worth.near < 1.0:
            helped = False
            for found in self._exchanges():
                if self._trials <= 0:
                    return
                worth = self._try(found)
                if worth.value > self._worth.value + 1e-9:
                    self.best, self._worth, helped = found, worth, True
                    break

    def _try(self, found: list[str]) -> _Worth:
        self._trials -= 1
        reading = self._reading.with_found(found)
        world = self._opening.fork()
        for step in reading.steps:
            for deed in reading.deeds(step):
                world.apply(deed)
        near = nearness(reading.home.problem, world.reader(self._freely))
        cost = sum(
            cost_of(reading.home, entity, instance, found)
            for entity, instance in zip(reading.entities, found, strict=True)
            if instance
        )
        return _Worth(near, near - _COST * cost)

    def _exchanges(self) -> Iterator[list[str]]:
        """Readings in which two entities of a kind change instances, or one takes another; never
        such that names of different things share one."""
        home, entities = self._reading.home, self._reading.entities
        spoken = spoken_of(home.problem)
        for category, instances in home.instances.items():
            if len(instances) < 2 or not (category in spoken or spoken.intersection(instances)):
                continue
            numbers = [
                number
                for number, entity in enumerate(entities)
                if entity.category == category and self.best[number]
            ]
            taken = {self.best[number] for number in numbers}
            taken.update(each for number in numbers for each in entities[number].all_of)
            for place, number in enumerate(numbers):
                for instance in instances:
                    if instance not in taken:
                        yield self._changed({number: instance})
                for other in numbers[place + 1 :]:
                    if self.best[number] != self.best[other]:
                        changes = {number: self.best[other], other: self.best[number]}
                        if self._keep_apart(changes, numbers):
                            yield self._changed(changes)

    def _keep_apart(self, changes: dict[int, str], numbers: Sequence[int]) -> bool:
        entities, found = self._reading.entities, self._changed(changes)
        return not any(
            found[number] == found[other] and are_apart(entities[number], entities[other])
            for number in changes
            for other in numbers
            if number != other
        )

    def _changed(self, changes: dict[int, str]) -> list[str]:
        return [changes.get(number, name) for number, name in enumerate(self.best)]
