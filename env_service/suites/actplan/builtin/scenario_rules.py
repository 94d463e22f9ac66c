"""What makes activities counterfactual: rules, by the paper's three categories of object
properties, object functions and event causality (its Fig. 4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from env_service.domain.text import with_article
from env_service.suites.actplan.activity import Assertion, AssertionKind, Pattern
from env_service.suites.actplan.builtin.activity_kinds import (
    CUTLERY,
    DISHES,
    VESSELS,
    WIPES,
    first,
    loose,
    one,
)
from env_service.suites.actplan.builtin.problems import sentence, told
from env_service.suites.actplan.builtin.rooms import SHUT, Room, Thing
from env_service.suites.actplan.builtin.scenario import (
    INSIDE,
    Be,
    Fact,
    Job,
    Pair,
    Put,
    Scenario,
    put,
    relation_to,
    shut,
    wash,
)
from env_service.suites.actplan.counterfactual_rule import (
    CounterfactualRule,
    UnsuitableError,
    counterfactual_rule,
)
from env_service.suites.actplan.task import Circumstance
from env_service.worlds.activity.actions import Verb

# --- What the rules have in common

SOAPS = ("SoapBottle", "SprayBottle", "SoapBar")
FOOD = ("Apple", "Bread", "Egg", "Lettuce", "Potato", "Tomato")


def never(text: str, *verbs: Verb, targets: Sequence[Thing] = ()) -> Assertion:
    """No action of these verbs is done to things of these categories."""
    kinds = tuple(dict.fromkeys(each.category for each in targets))
    return Assertion(AssertionKind.NEVER, text, first=Pattern(verbs, kinds))


def does(text: str, verb: Verb, targets: Sequence[Thing], tools: Sequence[Thing]) -> Assertion:
    """An action of the verb is done to things of these categories, with tools of these."""
    wanted, used = (tuple(dict.fromkeys(t.category for t in group)) for group in (targets, tools))
    return Assertion(AssertionKind.DOES, text, first=Pattern((verb,), wanted, tools=used))


def stained(scenario: Scenario) -> tuple[Thing, ...]:
    """What has to be cleaned of stains."""
    return tuple(
        thing
        for job in scenario.jobs
        if isinstance(job, Be) and job.state == "stained"
        for thing in job.things
    )


def swapped(job: Job, old: Thing, new: Thing) -> Job:
    """A job with a thing in place of another one, as item or as place."""

    def of(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return tuple(new if each == old else each for each in things)

    match job:
        case Put(things, places, relation, count):
            fits = relation if old not in places else relation_to(new)
            return Put(of(things), of(places), fits, count)
        case Pair(things, others, relation):
            return Pair(of(things), of(others), relation)
    return Be(of(job.things), job.state, job.positive)


def exchanged(scenario: Scenario, old: Thing, new: Thing) -> Scenario:
    """A scenario whose jobs are about another thing, and which uses that one.

    Raises UnsuitableError where something that is to be put there is there already.
    """
    tools = tuple(new if each == old else each for each in scenario.tools)
    swaps = (swapped(job, old, new) for job in scenario.jobs)
    jobs = tuple(job for job in swaps if not _shuts(job, new) or new.kind in SHUT)
    if any(_is_done(job, new) for job in jobs):
        raise UnsuitableError
    facts = tuple(
        replace(fact, thing=new) if fact.thing == old else fact for fact in scenario.facts
    )
    return replace(scenario, jobs=jobs, tools=tools, facts=facts)


def _shuts(job: Job, thing: Thing) -> bool:
    return isinstance(job, Be) and job.state == "open" and thing in job.things


def _is_done(job: Job, place: Thing) -> bool:
    there = isinstance(job, Put) and place in job.places
    return there and any(each.holder == place.id for each in job.things)


def spare(scenario: Scenario, *kinds: str) -> tuple[Thing, ...]:
    """The room's things of some types that the scenario does not need, type by type, such as can
    be had: movable ones that lie somewhere, and what is built in."""
    needed = scenario.needed
    return tuple(
        each
        for each in scenario.room.of(*kinds)
        if each not in needed and (each.holder or not each.movable)
    )


def require(things: Sequence[Thing]) -> Thing:
    """The first of them. Raises UnsuitableError where there is none."""
    if not things:
        raise UnsuitableError
    return things[0]


def holds_nothing(room: Room, thing: Thing) -> bool:
    """Whether it can go without taking anything along."""
    return not room.in_or_on(thing)


# --- Event causality: something has happened, or is about to, and that has consequences

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


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "The water is cut off: what is stained is cleaned with a cleaning agent, and the tap "
    "that somebody left open is closed before it comes back.",
)
def no_water(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "The electricity is down: the gas stove has to do what a machine would have done.",
)
def no_electricity(scenario: Scenario, draw: Random) -> Scenario:
    machines = [each for each in scenario.needed if each.kind in ELECTRIC]
    machine = one(machines, draw)
    how = _WITHOUT[machine.kind](scenario, machine)
    text = "The electricity is down."
    changed = replace(how, others=(*how.others, machine))
    changed = changed.under(never(text, Verb.SWITCH_ON, targets=(machine,)))
    return changed.told(
        f"One thing is different today: the electricity is down; {_TOLD[machine.kind]}."
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "A small child comes to visit: what could hurt it is put away.",
)
def toddler(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(Circumstance.CAUSALITY, "A storm is coming, and a window is open.")
def storm(scenario: Scenario, draw: Random) -> Scenario:
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


# --- Where a thing that was used goes in the end

_WET = ("Sink", "Bathtub")
_LAUNDRY = ("LaundryHamper", *_WET)
_STORES = ("Cabinet", "Drawer", "Shelf")
_TABLES = ("CounterTop", "DiningTable", "Desk", "Dresser", "SideTable", "CoffeeTable", "TVStand")

_PLACES: Mapping[str, tuple[str, ...]] = {
    "Cloth": _LAUNDRY,
    "HandTowel": _LAUNDRY,
    "Towel": _LAUNDRY,
    **dict.fromkeys(("PaperTowelRoll", "TissueBox", "WateringCan"), _STORES),
    **dict.fromkeys(("SoapBottle", "SprayBottle", "SoapBar"), _STORES),
}
"""The types of places that a used thing goes to, the usual one first; all others go to the sink,
and where there is none of these, onto something."""


def left_afterwards(scenario: Scenario, used: Thing) -> tuple[Scenario, str]:
    """A scenario whose goal also says where a thing that is used is at the end, and the place in
    words: "in the sink".

    Raises UnsuitableError where the room has no such place, or the thing is there already.
    """
    kinds = (*_PLACES.get(used.kind, _WET), *_TABLES)
    place = require([each for each in scenario.room.of(*kinds) if _serves(scenario, used, each)])
    taking = replace(scenario, jobs=(*scenario.jobs, put((used,), place)))
    preposition = "in" if relation_to(place) == INSIDE else "on"
    return taking, f"{preposition} the {place.named.word}"


def _serves(scenario: Scenario, used: Thing, place: Thing) -> bool:
    """Whether a thing would be elsewhere there than it is now, and the place stays as it is."""
    room = scenario.room
    held = room.holder(used)
    there = held is not None and held.category == place.category
    return not (there or place.movable or place in scenario.gone or scenario.state_of(place))


# --- Object properties: something that is needed is not as it should be

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


@counterfactual_rule(
    Circumstance.PROPERTY,
    "A dish that is used is dirty, and has to be washed as well.",
)
def dirty_thing(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Some of the food has gone bad, and belongs in the trash can.",
)
def spoiled_food(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(
    Circumstance.PROPERTY,
    "The food that would be used has gone bad: another piece is taken, and it is thrown away.",
)
def spoiled_but_there_is_more(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Food that is sliced or served cold is still frozen, and has to thaw first.",
)
def frozen_food(scenario: Scenario, draw: Random) -> Scenario:
    cooked = {each for job in scenario.jobs if _is(job, "cooked") for each in job.things}
    food = [each for each in scenario.needed if each.kind in FOOD and each not in cooked]
    hard = one([each for each in food if not scenario.state_of(each)], draw)
    chilled = any(hard in job.things and job.places[0].kind == "Fridge" for job in _puts(scenario))
    if chilled:
        raise UnsuitableError
    changed = scenario.doing(Be((hard,), "frozen", positive=False), *scenario.jobs)
    note = f"One thing is different today: the {hard.named.word} is frozen hard."
    return changed.having(Fact("frozen", hard)).told(note)


@counterfactual_rule(Circumstance.PROPERTY, "Stains that water alone does not take off.")
def stubborn_stains(scenario: Scenario, draw: Random) -> Scenario:
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


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Where things usually go, nothing can go: another place serves.",
)
def unfit_place(scenario: Scenario, draw: Random) -> Scenario:
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


# --- Object functions: the usual thing is not there, and another one has to serve

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


@counterfactual_rule(
    Circumstance.FUNCTION,
    "What one usually cleans with is missing: something else is wiped with.",
)
def no_wipe(scenario: Scenario, draw: Random) -> Scenario:
    return _without_tool(scenario, draw, WIPES, Verb.CLEAN)


@counterfactual_rule(Circumstance.FUNCTION, "The kitchen knives are missing: a table knife cuts.")
def no_knife(scenario: Scenario, draw: Random) -> Scenario:
    return _without_tool(scenario, draw, ("Knife", "ButterKnife"), Verb.SLICE)


@counterfactual_rule(
    Circumstance.FUNCTION,
    "The usual vessel for water is missing: something else holds water, too.",
)
def no_vessel(scenario: Scenario, draw: Random) -> Scenario:
    plants = [job for job in scenario.jobs if isinstance(job, Be) and job.state == "soaked"]
    if not plants:
        raise UnsuitableError
    return _without_tool(scenario, draw, VESSELS, Verb.POUR)


@counterfactual_rule(
    Circumstance.FUNCTION,
    "The usual container is missing: something else holds the things.",
)
def no_container(scenario: Scenario, draw: Random) -> Scenario:
    movable = [each for each in _containers(scenario) if each.kind in VESSEL_FOR_FOOD]
    usual = one(movable, draw)
    new = require(spare(scenario, *VESSEL_FOR_FOOD[usual.kind]))
    if not new.movable and any(_moves(job, usual) for job in scenario.jobs):
        raise UnsuitableError
    changed = _gone(exchanged(scenario, usual, new), usual.kind)
    note = f"One thing is different today: there is no {usual.named.word} in the {_room(scenario)};"
    return changed.told(f"{note} the {new.named.word} has to serve.")


@counterfactual_rule(Circumstance.FUNCTION, "There are no forks: people eat with spoons.")
def no_fork(scenario: Scenario, draw: Random) -> Scenario:
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


# --- All rules

SCENARIO_RULES: tuple[CounterfactualRule[Scenario, Scenario], ...] = (
    *(
        dirty_thing,
        spoiled_food,
        spoiled_but_there_is_more,
        frozen_food,
        stubborn_stains,
        unfit_place,
    ),
    *(no_wipe, no_knife, no_vessel, no_container, no_fork),
    *(no_water, no_electricity, toddler, storm),
)
"""Their order decides what built-in task sets hold."""
