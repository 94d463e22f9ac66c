"""One way to read a plan: which instance each entity is, and the deeds that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from env_service.suites.actplan.grounding.drafting import StepDraft
from env_service.suites.actplan.grounding.entities import Draft, Entity, Heard, Ref
from env_service.suites.actplan.grounding.grounded import GroundedStep, Level
from env_service.suites.actplan.grounding.home import Home
from env_service.worlds.activity.deed import Deed

_MOST_DEEDS = 40
"""A collective step comes to no more deeds than any published home has things."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Entities and the instances that they are.

    Attributes:
        steps: the plan, on entities.
        found: each entity's instance; empty of phantoms, and of things more than there are.
        heard: the names of all steps, in order.
    """

    home: Home
    level: Level
    steps: tuple[StepDraft, ...]
    entities: Sequence[Entity]
    found: Sequence[str]
    heard: Sequence[Heard] = ()

    def with_found(self, found: Sequence[str]) -> Reading:
        """The same plan with other instances."""
        return replace(self, found=found)

    def deeds(self, step: StepDraft) -> tuple[Deed, ...]:
        """What a step comes to."""
        return tuple(deed for draft in step.drafts for deed in self._meant(draft))

    def grounded(self, step: StepDraft) -> GroundedStep:
        """The step with instances for names."""
        left_over = self._left_over(step)
        unresolved = tuple(dict.fromkeys((*step.unresolved, *left_over)))
        return GroundedStep(step.step, self.deeds(step), unresolved, left_over)

    def _left_over(self, step: StepDraft) -> tuple[str, ...]:
        """The step's names of more things than there are."""
        return tuple(
            each.said
            for each in self.heard
            if each.step == step.step.number
            and each.number is not None
            and self.is_left_over(each.number)
        )

    def is_left_over(self, ref: Ref) -> bool:
        """Whether an entity is a thing more than there are."""
        return isinstance(ref, int) and not self.found[ref] and not self.entities[ref].phantom

    def phantoms(self) -> tuple[tuple[str, str, str], ...]:
        """Fixtures that the definition does not list: instance, category, room."""
        return tuple(
            (self._named(number), entity.category, next(iter(sorted(entity.rooms)), ""))
            for number, entity in enumerate(self.entities)
            if entity.phantom
        )

    def _meant(self, draft: Draft) -> Iterator[Deed]:
        if self.is_left_over(draft.target) or self.is_left_over(draft.item):
            return
        tools = tuple(
            name
            for each in draft.tools
            if not self.is_left_over(each)
            for name in self._instances(each)
        )
        for target, item in islice(self._pairs(draft), _MOST_DEEDS):
            yield Deed(draft.verb, target, item, tools)

    def _pairs(self, draft: Draft) -> Iterator[tuple[str, str]]:
        """Targets with items: of several things that go to several places each goes to one, in
        turn."""
        targets = self._instances(draft.target)
        if draft.item == "":
            return ((target, "") for target in targets)
        items = self._instances(draft.item)
        if len(items) == 1 and isinstance(draft.target, int):
            targets = (self._named(draft.target),)
        return zip(cycle(targets), items, strict=False)

    def _instances(self, ref: Ref) -> tuple[str, ...]:
        if isinstance(ref, str):
            return (ref,)
        entity = self.entities[ref]
        if entity.all_of:
            return entity.all_of
        return (self._named(ref),)

    def _named(self, number: int) -> str:
        entity = self.entities[number]
        return f"{entity.category}_p{number}" if entity.phantom else self.found[number]
