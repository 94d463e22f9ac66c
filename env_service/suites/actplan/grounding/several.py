"""Which names stand for several things at once, and for which (spec: actplan.md section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from env_service.suites.actplan.grounding.assignment import cost_of, misfit
from env_service.suites.actplan.grounding.entities import Entity
from env_service.suites.actplan.grounding.reading_of import Reading


def plurals_read(reading: Reading) -> Reading:
    """The reading in which plurals and collective nouns without a number stand for all they can."""
    return _spread(reading, lambda entity: entity.plural)


def singulars_read(reading: Reading) -> Reading:
    """The reading in which singulars of what is carried do so too, each the only name of its
    kind."""
    kinds = Counter(each.category for each in reading.entities)
    return _spread(
        reading,
        lambda each: each.plural or (each.carried and kinds[each.category] == 1),
    )


def _spread(reading: Reading, stands_for_several: Callable[[Entity], bool]) -> Reading:
    """With the instances of each entity that stands for several.

    These are all that fit what its names say, as many as they say, and that no other name has. Of
    what is taken up, they are those at the place where the agent stood, if several are. A noun that
    is taken up there again and again stands for one of them each time.
    """
    several = [
        number
        for number, entity in enumerate(reading.entities)
        if reading.found[number] and not entity.index and stands_for_several(entity)
    ]
    taken = Counter(_where(reading.entities[each]) for each in several)
    others = {name for number, name in enumerate(reading.found) if number not in several}
    entities = list(reading.entities)
    for number in several:
        entity = entities[number]
        if taken[_where(entity)] == 1:
            entities[number] = replace(entity, all_of=_all_of(reading, number, others))
            reading = replace(reading, entities=tuple(entities))
    return reading


def _where(entity: Entity) -> object:
    return entity.category, entity.from_place


def _all_of(reading: Reading, number: int, others: set[str]) -> tuple[str, ...]:
    home, entity = reading.home, reading.entities[number]
    fitting = [
        instance
        for kind in entity.kinds or (entity.category,)
        for instance in home.instances[kind]
        if instance not in others and not misfit(home, entity, instance)
    ]
    here = [each for each in fitting if _is_there(reading, number, each)]
    chosen = here if len(here) > 1 else fitting
    if entity.count:
        chosen.sort(key=lambda each: cost_of(home, entity, each, reading.found))
        chosen = chosen[: entity.count]
    return () if chosen == [reading.found[number]] else tuple(chosen)


def _is_there(reading: Reading, number: int, instance: str) -> bool:
    """Whether an instance is where the agent stood when the entity was taken up."""
    place, home = reading.entities[number].from_place, reading.home
    if not isinstance(place, int):
        return bool(place) and home.rooms.get(instance) == place
    places = reading.entities[place].all_of or (reading.found[place],)
    return place != number and not set(places).isdisjoint(home.around(instance))
