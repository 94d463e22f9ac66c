"""Object functions: the usual thing is not there, and another one has to serve."""

from __future__ import annotations

from random import Random

from env_service.suites.actplan.builtin.circumstances.afterwards import left_afterwards
from env_service.suites.actplan.builtin.circumstances.changing import (
    Rule,
    does,
    exchanged,
    holds_nothing,
    require,
    spare,
)
from env_service.suites.actplan.builtin.jobs import Be, Put
from env_service.suites.actplan.builtin.kinds.finding import VESSELS, WIPES, UnsuitableError, one
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Scenario
from env_service.worlds.activity.deed import Verb

VESSEL_FOR_FOOD = {
    "Bowl": ("Pot", "Pan", "Plate"),
    "Pot": ("Pan", "Bowl"),
    "Pan": ("Pot",),
    "Plate": ("Bowl", "Pan"),
    "Mug": ("Cup", "Bowl"),
    "Cup": ("Mug", "Bowl"),
    "Box": ("Drawer", "LaundryHamper", "Cabinet"),
    "LaundryHamper": ("Bathtub", "Cabinet", "Drawer"),
    "GarbageCan": ("Box", "Pot", "Bowl"),
    "Kettle": ("Pot", "Pan"),
}
"""What serves as a container where the usual one is missing."""


def no_wipe(scenario: Scenario, draw: Random) -> Scenario:
    """What one usually cleans with is missing: something else is wiped with."""
    return _without_tool(scenario, draw, WIPES, Verb.CLEAN)


def no_knife(scenario: Scenario, draw: Random) -> Scenario:
    """The kitchen knives are missing: a table knife cuts."""
    return _without_tool(scenario, draw, ("Knife", "ButterKnife"), Verb.SLICE)


def no_vessel(scenario: Scenario, draw: Random) -> Scenario:
    """The usual vessel for water is missing: something else holds water, too."""
    plants = [job for job in scenario.jobs if isinstance(job, Be) and job.state == "soaked"]
    if not plants:
        raise UnsuitableError
    return _without_tool(scenario, draw, VESSELS, Verb.POUR)


def no_container(scenario: Scenario, draw: Random) -> Scenario:
    """The usual container is missing: something else holds the things."""
    movable = [each for each in _containers(scenario) if each.kind in VESSEL_FOR_FOOD]
    usual = one(movable, draw)
    new = require(spare(scenario, *VESSEL_FOR_FOOD[usual.kind]))
    if not new.movable and any(_moves(job, usual) for job in scenario.jobs):
        raise UnsuitableError
    changed = _gone(exchanged(scenario, usual, new), usual.kind)
    note = f"One thing is different today: there is no {usual.named.word} in the {_room(scenario)};"
    return changed.told(f"{note} the {new.named.word} has to serve.")


def no_fork(scenario: Scenario, draw: Random) -> Scenario:
    """There are no forks: people eat with spoons."""
    fork = one([each for each in scenario.needed if each.kind == "Fork"], draw)
    spoon = require(spare(scenario, "Spoon"))
    changed = _gone(exchanged(scenario, fork, spoon), "Fork")
    note = "One thing is different today: there are no forks in the kitchen; a spoon has to serve."
    return changed.told(note)


def _without_tool(scenario: Scenario, draw: Random, kinds: tuple[str, ...], verb: Verb) -> Scenario:
    usual = one([each for each in scenario.tools if each.kind in kinds], draw)
    left = [kind for kind in kinds if kind != usual.kind]
    new = require(spare(scenario, *left))
    targets = tuple(
        thing
        for job in scenario.jobs
        if isinstance(job, Be) and job.state in _DONE[verb]
        for thing in job.things
    )
    changed, where = left_afterwards(_gone(exchanged(scenario, usual, new), usual.kind), new)
    text = f"In place of the {usual.named.word}, the {new.named.word} is used."
    for kind in dict.fromkeys(each.category for each in targets):
        ours = [each for each in targets if each.category == kind]
        changed = changed.under(does(text, verb, ours, (new,)))
    note = f"One thing is different today: there is no {usual.named.word} in the {_room(scenario)};"
    return changed.told(
        f"{note} the {new.named.word} has to serve, and is to be {where} at the end."
    )


_DONE = {
    Verb.CLEAN: ("stained", "dusty"),
    Verb.SLICE: ("sliced",),
    Verb.POUR: ("soaked",),
}


def _gone(scenario: Scenario, kind: str) -> Scenario:
    """A scenario without all things of a type, none of which is needed or holds anything."""
    things = scenario.room.of(kind)
    held = all(holds_nothing(scenario.room, each) for each in things)
    if not held or set(things) & set(scenario.needed):
        raise UnsuitableError
    return scenario.without(*things)


def _containers(scenario: Scenario) -> list[Thing]:
    jobs = [job for job in scenario.jobs if isinstance(job, Put)]
    return list(dict.fromkeys((*(job.places[0] for job in jobs), *_pans(scenario))))


def _pans(scenario: Scenario) -> tuple[Thing, ...]:
    return tuple(each for each in scenario.tools if each.kind in ("Pan", "Pot"))


def _moves(job: object, thing: Thing) -> bool:
    return isinstance(job, Put) and thing in job.things


def _room(scenario: Scenario) -> str:
    return scenario.room.word


FUNCTIONS: tuple[Rule, ...] = (no_wipe, no_knife, no_vessel, no_container, no_fork)
