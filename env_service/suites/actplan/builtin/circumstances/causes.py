"""Event causality: something has happened, or is about to, and that has consequences."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from env_service.domain.english import with_article
from env_service.suites.actplan.builtin.circumstances.changing import (
    SOAPS,
    Rule,
    exchanged,
    never,
    require,
    spare,
    stained,
)
from env_service.suites.actplan.builtin.jobs import Be, Job, Put, put, shut
from env_service.suites.actplan.builtin.kinds.finding import UnsuitableError, first, loose, one
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario
from env_service.suites.actplan.builtin.wording import told
from env_service.worlds.activity.deed import Verb

HAZARDS = {
    "kitchen": ("Knife", "ButterKnife", "Fork", "SoapBottle", "WineBottle"),
    "living_room": ("Pen", "Pencil", "KeyChain", "CreditCard", "Candle", "Vase"),
    "bedroom": ("Pen", "Pencil", "KeyChain", "CreditCard", "Candle", "Vase"),
    "bathroom": ("SprayBottle", "SoapBottle", "SoapBar", "Candle"),
}
"""What a toddler should not get hold of, by room."""

MOST_HAZARDS = 3

ELECTRIC = frozenset({"CoffeeMachine", "Microwave", "Toaster", "Television", "Fridge"})
"""Types that want electricity. Stoves burn gas here."""


def no_water(scenario: Scenario, draw: Random) -> Scenario:
    """The water is cut off: what is stained is cleaned with a cleaning agent, and the tap that
    somebody left open is closed before it comes back."""
    if not stained(scenario):
        raise UnsuitableError
    soap = one(loose(scenario.room, *SOAPS), draw)
    sinks = [each for each in scenario.tools if each.kind == "Sink"]
    basins = (*sinks, *scenario.room.of("Sink", "Bathtub"))
    tools = tuple(each for each in scenario.tools if each not in sinks)
    text = "The water has been cut off."
    changed = replace(scenario, others=(*scenario.others, *sinks)).using(*tools, soap)
    changed = changed.under(never(text, Verb.SWITCH_ON, targets=basins), never(text, Verb.SOAK))
    tap = first(scenario.room, "Sink", "Bathtub")
    closed = Be((tap,), "toggled_on", positive=False)
    changed = changed.doing(*changed.jobs, closed).having(Fact("toggled_on", tap))
    note = "One thing is different today: the water has been cut off, so that no tap runs, but"
    return changed.told(
        f"{note} there is {told((soap,), article='a')}. The tap of the {tap.named.word} was left"
        " open, and has to be switched off before the water comes back."
    )


def no_electricity(scenario: Scenario, draw: Random) -> Scenario:
    """The electricity is down: the gas stove has to do what a machine would have done."""
    machines = [each for each in scenario.needed if each.kind in ELECTRIC]
    machine = one(machines, draw)
    how = _WITHOUT[machine.kind](scenario, machine)
    text = "The electricity is down."
    changed = replace(how, others=(*how.others, machine))
    changed = changed.under(never(text, Verb.SWITCH_ON, targets=(machine,)))
    return changed.told(
        f"One thing is different today: the electricity is down; {_TOLD[machine.kind]}."
    )


def toddler(scenario: Scenario, draw: Random) -> Scenario:
    """A small child comes to visit: what could hurt it is put away."""
    room = scenario.room
    used = {each.category for each in scenario.needed}
    hazards = spare(scenario, *HAZARDS[room.kind])
    there = [each for each in hazards if each.category not in used and not room.hidden(each)]
    if not there:
        raise UnsuitableError
    things = tuple(there[:MOST_HAZARDS])
    taken = {place.kind for job in scenario.jobs if isinstance(job, Put) for place in job.places}
    place = one([each for each in room.of("Drawer", "Cabinet") if each.kind not in taken], draw)
    kin = [each for each in scenario.cast if each.kind == place.kind and each != place]
    changed = scenario.doing(*scenario.jobs, put(things, place, *kin), shut(place, *kin))
    return changed.told(
        "One thing is different today: a toddler comes to visit, who puts everything into the"
        f" mouth. So {told(things)} must be locked away in"
        f" {with_article(place.named.word)}, which is closed."
    )


def storm(scenario: Scenario, draw: Random) -> Scenario:
    """A storm is coming, and a window is open."""
    window = one(scenario.room.of("Window"), draw)
    changed = scenario.doing(*scenario.jobs, shut(window)).having(Fact("open", window))
    return changed.told(
        "One thing is different today: a thunderstorm is coming up, the window stands open, and"
        " everything near it would get wet."
    )


def _on_the_stove(scenario: Scenario, machine: Thing) -> Scenario:
    """Cooking moves to a pan on the stove."""
    room = scenario.room
    pan, stove = require(loose(room, "Pan", "Pot")), first(room, "StoveBurner")
    jobs = [each for each in scenario.jobs if not _is_about(each, machine)]
    food = [
        thing
        for job in scenario.jobs
        if isinstance(job, Put) and machine in job.places
        for thing in job.things
    ]
    last = (put(food, pan), put((pan,), stove)) if food else ()
    changed = scenario.doing(*jobs, *last)
    tools = [each for each in scenario.tools if each != machine]
    facts = tuple(each for each in scenario.facts if each.thing != machine)
    return replace(changed.using(*dict.fromkeys((*tools, pan, stove))), facts=facts)


def _kettle(scenario: Scenario, machine: Thing) -> Scenario:
    """Coffee is made with hot water from the stove."""
    del machine
    room = scenario.room
    kettle, stove = first(room, "Kettle"), first(room, "StoveBurner")
    table = first(room, "DiningTable", "CounterTop")
    mugs = [each for each in scenario.needed if each.kind == "Mug"]
    jobs = (put((kettle,), stove), Be((stove,), "toggled_on"), put(mugs, table))
    return scenario.doing(*jobs)


def _candle(scenario: Scenario, machine: Thing) -> Scenario:
    """No film: a book and a candle are on the table, and no lamp is on."""
    room = scenario.room
    jobs = [each for each in scenario.jobs if not _is_about(each, machine)]
    lamps = [each for each in jobs if not (isinstance(each, Be) and each.state == "toggled_on")]
    candle, book = require(loose(room, "Candle")), require(loose(room, "Book"))
    all_lamps = room.of("DeskLamp", "FloorLamp")
    facts = tuple(each for each in scenario.facts if each.state != "toggled_on")
    dark = (Fact("toggled_on", each, positive=False) for each in all_lamps)
    changed = replace(scenario, facts=(*facts, *dark), others=(*scenario.others, *all_lamps))
    return changed.doing(*lamps, put((candle, book), first(room, "CoffeeTable")))


def _cupboard(scenario: Scenario, machine: Thing) -> Scenario:
    """What would go into the refrigerator is kept in a cabinet, out of the sun."""
    cabinet = require(spare(scenario, "Cabinet"))
    return exchanged(scenario, machine, cabinet)


def _is_about(job: Job, thing: Thing) -> bool:
    """Whether a job is about a thing alone, or puts things there."""
    match job:
        case Put(_, places, _, _):
            return thing in places
        case Be(things, _, _):
            return thing in things
    return False


_WITHOUT = {
    "CoffeeMachine": _kettle,
    "Microwave": _on_the_stove,
    "Toaster": _on_the_stove,
    "Television": _candle,
    "Fridge": _cupboard,
}
_TOLD = {
    "CoffeeMachine": "water for coffee has to be boiled in the kettle on the gas stove, and the mug"
    " has to wait on the {table}",
    "Microwave": "the gas stove works, and the potato has to be cooked in a pan on it",
    "Toaster": "the gas stove works, and the bread has to be toasted in a pan on it",
    "Television": "there will be no film, and a candle and a book have to be on the coffee table"
    " instead",
    "Fridge": "the refrigerator is warm, and everything that would go there has to go into a"
    " cabinet instead",
}

CAUSES: tuple[Rule, ...] = (no_water, no_electricity, toddler, storm)
