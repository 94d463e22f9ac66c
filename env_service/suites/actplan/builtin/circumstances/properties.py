"""Object properties: something that is needed is not as it should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from env_service.suites.actplan.builtin.circumstances.afterwards import left_afterwards
from env_service.suites.actplan.builtin.circumstances.changing import (
    FOOD,
    SOAPS,
    does,
    exchanged,
    never,
    require,
    spare,
    stained,
)
from env_service.suites.actplan.builtin.jobs import Be, Put, put, wash
from env_service.suites.actplan.builtin.kinds.finding import (
    CUTLERY,
    DISHES,
    WIPES,
    UnsuitableError,
    loose,
    one,
)
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario
from env_service.suites.actplan.builtin.wording import sentence, told
from env_service.worlds.activity.deed import Verb

PLACES = {
    "Drawer": ("is jammed and cannot be used", ("Cabinet", "Shelf", "Desk")),
    "Cabinet": ("has a broken board that carries nothing", ("Drawer", "Shelf")),
    "Shelf": ("is loose and carries nothing", ("Dresser", "Desk", "SideTable", "Cabinet")),
    "Box": ("is torn at the bottom and holds nothing", ("Drawer", "Shelf", "Cabinet")),
    "DiningTable": ("has just been painted and is still wet", ("CounterTop",)),
    "CoffeeTable": ("has just been painted and is still wet", ("TVStand", "Desk", "Shelf")),
    "SideTable": ("has a broken leg and carries nothing", ("Desk", "Dresser", "Shelf")),
    "LaundryHamper": ("has a hole and holds nothing", ("Cabinet", "Bathtub", "Drawer")),
    "Bowl": ("is cracked and holds nothing", ("Pot", "Plate")),
    "Plate": ("is cracked and must not be used", ("Bowl",)),
}
"""What can be wrong with a place, and the types that stand in for it."""


BINNED = "What is spoiled belongs in the trash can."


def dirty_thing(scenario: Scenario, draw: Random) -> Scenario:
    """A dish that is used is dirty, and has to be washed as well."""
    kinds = Counter(each.kind for each in scenario.needed)
    dishes = [
        thing
        for thing in scenario.needed
        if thing.kind in (*DISHES, *CUTLERY)
        and kinds[thing.kind] == 1
        and not scenario.state_of(thing)
    ]
    dish, room = one(dishes, draw), scenario.room
    tool, sink = require(loose(room, *WIPES)), require(room.of("Sink"))
    changed = scenario.doing(wash(dish), *scenario.jobs).having(Fact("stained", dish))
    changed = changed.using(*dict.fromkeys((*scenario.tools, tool, sink)))
    return changed.told(f"One thing is different today: the {dish.named.word} is dirty.")


def spoiled_food(scenario: Scenario, draw: Random) -> Scenario:
    """Some of the food has gone bad, and belongs in the trash can."""
    can = require(spare(scenario, "GarbageCan"))
    foods = {job: [each for each in job.things if each.kind in FOOD] for job in _puts(scenario)}
    job = next((job for job, found in foods.items() if len(found) > 1), None)
    if job is None:
        raise UnsuitableError
    bad = draw.choice(foods[job])
    left = replace(job, things=tuple(each for each in job.things if each != bad))
    jobs = [left if each == job else _less(each, bad) for each in scenario.jobs]
    changed = scenario.doing(*(each for each in jobs if each is not None), put((bad,), can))
    note = f"One thing is different today: the {bad.named.word} has gone bad. {BINNED}"
    return changed.having(Fact("perished", bad)).told(note)


def spoiled_but_there_is_more(scenario: Scenario, draw: Random) -> Scenario:
    """The food that would be used has gone bad: another piece is taken, and it is thrown away."""
    can = require(spare(scenario, "GarbageCan"))
    food = [each for each in scenario.needed if each.kind in FOOD and not scenario.state_of(each)]
    bad = one(food, draw)
    fresh = require(spare(scenario, bad.kind))
    changed = exchanged(scenario, bad, fresh)
    changed = changed.doing(*changed.jobs, put((bad,), can)).having(Fact("perished", bad))
    here = scenario.room.holder(bad)
    where = f" near the {here.named.word}" if here else ""
    return changed.told(
        f"One thing is different today: of the {bad.named.plural}, the one{where} has gone bad, and"
        f" there is another one. {BINNED}"
    )


def frozen_food(scenario: Scenario, draw: Random) -> Scenario:
    """Food that is sliced or served cold is still frozen, and has to thaw first."""
    cooked = {each for job in scenario.jobs if _is(job, "cooked") for each in job.things}
    food = [each for each in scenario.needed if each.kind in FOOD and each not in cooked]
    hard = one([each for each in food if not scenario.state_of(each)], draw)
    chilled = any(hard in job.things and job.places[0].kind == "Fridge" for job in _puts(scenario))
    if chilled:
        raise UnsuitableError
    changed = scenario.doing(Be((hard,), "frozen", positive=False), *scenario.jobs)
    note = f"One thing is different today: the {hard.named.word} is frozen hard."
    return changed.having(Fact("frozen", hard)).told(note)


def stubborn_stains(scenario: Scenario, draw: Random) -> Scenario:
    """Stains that water alone does not take off."""
    targets = stained(scenario)
    if not targets:
        raise UnsuitableError
    soap = one(loose(scenario.room, *SOAPS), draw)
    text = f"The stains are old, and come off with {told((soap,))} only."
    used = scenario.using(*dict.fromkeys((*scenario.tools, soap)))
    changed, where = left_afterwards(used, soap)
    kinds = dict.fromkeys(each.category for each in targets)
    for kind in kinds:
        ours = [each for each in targets if each.category == kind]
        changed = changed.under(does(text, Verb.CLEAN, ours, (soap,)))
    return changed.told(
        f"One thing is different today: {text[0].lower()}{text[1:]}"
        f" {sentence(f'{told((soap,))} is to be {where} at the end')}"
    )


def unfit_place(scenario: Scenario, draw: Random) -> Scenario:
    """Where things usually go, nothing can go: another place serves."""
    places = [job.places[0] for job in _puts(scenario) if len(job.places) == 1]
    bad = one([each for each in dict.fromkeys(places) if each.kind in PLACES], draw)
    wrong, kinds = PLACES[bad.kind]
    new = require([each for each in spare(scenario, *kinds) if each.category != bad.category])
    changed = exchanged(scenario, bad, new)
    if any(_moved(job, new) for job in changed.jobs) and not new.movable:
        raise UnsuitableError
    text = f"The {bad.named.word} {wrong}."
    placing = (Verb.PLACE_INSIDE, Verb.PLACE_ON_TOP)
    changed = changed.under(never(text, *placing, targets=(bad,)))
    changed = replace(changed, others=(*changed.others, bad))
    note = f"One thing is different today: the {bad.named.word} {wrong};"
    return changed.told(f"{note} use the {new.named.word} instead.")


def _puts(scenario: Scenario) -> tuple[Put, ...]:
    return tuple(job for job in scenario.jobs if isinstance(job, Put))


def _is(job: object, state: str) -> bool:
    return isinstance(job, Be) and job.state == state


def _moved(job: object, thing: Thing) -> bool:
    return isinstance(job, Put) and thing in job.things


def _less(job: object, thing: Thing) -> Be | Put | None:
    """A job without a thing; None where it was about this one alone."""
    if not isinstance(job, Be | Put) or thing not in job.things:
        return job if isinstance(job, Be | Put) else None
    left = tuple(each for each in job.things if each != thing)
    return replace(job, things=left) if left else None


PROPERTIES = (
    dirty_thing,
    spoiled_food,
    spoiled_but_there_is_more,
    frozen_food,
    stubborn_stains,
    unfit_place,
)
