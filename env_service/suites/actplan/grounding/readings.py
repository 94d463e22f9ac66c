"""Which names of a plan were not read literally, as what, and how well that fits."""

from __future__ import annotations

from collections.abc import Iterator

from env_service.domain.english import with_article
from env_service.suites.actplan.grounding.assignment import cost_of
from env_service.suites.actplan.grounding.entities import Entity, Heard
from env_service.suites.actplan.grounding.naming import parse_name, singular
from env_service.suites.actplan.grounding.reading_of import Reading
from env_service.suites.actplan.plans.step import Repair, RepairKind
from env_service.worlds.activity.bddl.telling import thing_in_words
from env_service.worlds.activity.categories import lemma_of
from env_service.worlds.activity.naming import number_of

_ASSUMED = 0.5
"""What is left of a score where the definition does not list the thing."""


def name_repairs(reading: Reading) -> list[Repair]:
    """Every name that was not read literally, where it first stands for a thing.

    Literal is a category's own name, alone or with the number of the thing. A score is 1 where all
    that the name says is so; it falls with words that fit less (a synonym, a part of a name, a
    typing error) and with what is said and is not so (a room, a place, a state, a number).
    """
    found: dict[str, Repair] = {}
    for repair in _all(reading):
        found.setdefault(repair.text, repair)
    return list(found.values())


def _all(reading: Reading) -> Iterator[Repair]:
    for heard in reading.heard:
        if heard.number is None:
            text = f"{heard.said} as {heard.place}"
            yield Repair(RepairKind.NAME_MATCHED, heard.step, text, heard.fit)
            continue
        if reading.is_left_over(heard.number):
            continue
        entity, instance = reading.entities[heard.number], reading.found[heard.number]
        kind = _kind(heard, entity, instance)
        if kind is not None:
            text = f"{heard.said} as {_meant(entity, instance)}"
            score = heard.fit * _share(reading, entity, instance)
            yield Repair(kind, heard.step, text, score)


def _kind(heard: Heard, entity: Entity, instance: str) -> RepairKind | None:
    if entity.phantom:
        return RepairKind.PHANTOM
    if len(entity.all_of) > 1:
        return RepairKind.COLLECTIVE
    if heard.index and heard.index != number_of(instance):
        return RepairKind.NUMBER_MATCHED
    return None if _is_literal(heard, entity) else RepairKind.NAME_MATCHED


def _is_literal(heard: Heard, entity: Entity) -> bool:
    name = "_".join(map(singular, lemma_of(entity.category).split("_")))
    text = parse_name(heard.said).text
    return heard.exact and text in (name, f"{name}_{heard.index}")


def _share(reading: Reading, entity: Entity, instance: str) -> float:
    """What is left of how well words fit by what else a name says, 0 … 1."""
    if entity.phantom:
        return _ASSUMED
    if entity.all_of:
        return min(1.0, len(entity.all_of) / max(1, entity.count))
    return 1.0 / (1.0 + cost_of(reading.home, entity, instance, reading.found))


def _meant(entity: Entity, instance: str) -> str:
    if entity.phantom:
        return f"{with_article(thing_in_words(entity.category))} that the definition does not list"
    if entity.all_of:
        return " and ".join(map(thing_in_words, entity.all_of))
    return thing_in_words(instance)
