"""One way to read a plan: which instance each entity is, and the deeds that come of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from env_service.suites.actplan.grounding.drafting import StepDraft
from env_service.suites.actplan.grounding.entities import Draft, Entity, Ref
from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.grounding.home import Home
from env_service.worlds.activity.deed import Deed

_NOTHING = ("",)
_MOST_DEEDS = 40
"""A collective step comes to no more deeds than any published home has things."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Entities and the instances that they are.

    Attributes:
        steps: the plan, on entities.
        found: each entity's instance; of phantoms a name that no instance has.
    """

    home: Home
    level: Level
    steps: tuple[StepDraft, ...]
    entities: Sequence[Entity]
    found: Sequence[str]

    def with_found(self, found: Sequence[str]) -> Reading:
        """The same plan with other instances."""
        return replace(self, found=found)

    def deeds(self, step: StepDraft) -> tuple[Deed, ...]:
        """What a step comes to."""
        return tuple(deed for draft in step.drafts for deed in self._meant(draft))

    def phantoms(self) -> tuple[tuple[str, str, str], ...]:
        """Fixtures that the definition does not list: instance, category, room."""
        return tuple(
            (self._named(number), entity.category, next(iter(sorted(entity.rooms)), ""))
            for number, entity in enumerate(self.entities)
            if entity.phantom
        )

    def _meant(self, draft: Draft) -> Iterator[Deed]:
        targets = self._instances(draft.target)
        items = self._instances(draft.item) if draft.item != "" else _NOTHING
        tools = tuple(self._instances(each)[0] for each in draft.tools) if draft.tools else ()
        for target, item in islice(product(targets, items), _MOST_DEEDS):
            yield Deed(draft.verb, target, item, tools)

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
