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
from env_service.suites.actplan.builtin.rooms import SHUT, Room, Thing
from env_service.suites.actplan.builtin.scenario import (
    INSIDE,
    Be,
    Fact,
    Pair,
    Put,
    Scenario,
    Subgoal,
    in_words,
    put,
    relation_to,
    sentence,
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
        for subgoal in scenario.subgoals
        if isinstance(subgoal, Be) and subgoal.state == "stained"
        for thing in subgoal.things
    )


def swapped(subgoal: Subgoal, old: Thing, new: Thing) -> Subgoal:
    """A job with a thing in place of another one, as item or as place."""

    def of(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
        return tuple(new if each == old else each for each in things)

    match subgoal:
        case Put(things, places, relation, count):
            fits = relation if old not in places else relation_to(new)
            return Put(of(things), of(places), fits, count)
        case Pair(things, others, relation):
            return Pair(of(things), of(others), relation)
    return Be(of(subgoal.things), subgoal.state, subgoal.positive)


def exchanged(scenario: Scenario, old: Thing, new: Thing) -> Scenario:
    """A scenario whose jobs are about another thing, and which uses that one.

    Raises UnsuitableError if a thing to put there is in that place already.
    """
    tools = tuple(new if each == old else each for each in scenario.tools)
    swaps = (swapped(subgoal, old, new) for subgoal in scenario.subgoals)
    subgoals = tuple(subgoal for subgoal in swaps if not _shuts(subgoal, new) or new.kind in SHUT)
    if any(_is_done(subgoal, new) for subgoal in subgoals):
        raise UnsuitableError
    facts = tuple(
        replace(fact, thing=new) if fact.thing == old else fact for fact in scenario.facts
    )
    return replace(scenario, subgoals=subgoals, tools=tools, facts=facts)


def _shuts(subgoal: Subgoal, thing: Thing) -> bool:
    return isinstance(subgoal, Be) and subgoal.state == "open" and thing in subgoal.things


def _is_done(subgoal: Subgoal, place: Thing) -> bool:
    there = isinstance(subgoal, Put) and place in subgoal.places
    return there and any(each.holder == place.id for each in subgoal.things)


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
def no_water(scenario: Scenario, rng: Random) -> Scenario:
    if not stained(scenario):
        raise UnsuitableError
    soap = one(loose(scenario.room, *SOAPS), rng)
    sinks = [each for each in scenario.tools if each.kind == "Sink"]
    basins = (*sinks, *scenario.room.of("Sink", "Bathtub"))
    tools = tuple(each for each in scenario.tools if each not in sinks)
    text = "The water has been cut off."
    changed = replace(scenario, others=(*scenario.others, *sinks)).with_tools(*tools, soap)
    changed = changed.with_assertions(
        never(text, Verb.SWITCH_ON, targets=basins), never(text, Verb.SOAK)
    )
    tap = first(scenario.room, "Sink", "Bathtub")
    closed = Be((tap,), "toggled_on", positive=False)
    changed = changed.with_subgoals(*changed.subgoals, closed).with_facts(Fact("toggled_on", tap))
    note = "One thing is different today: the water has been cut off, so that no tap runs, but"
    return changed.with_notes(
        f"{note} there is {in_words((soap,), article='a')}. The tap of the {tap.named.word} was"
        " left open, and has to be switched off before the water comes back."
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "The electricity is down: the gas stove has to do what a machine would have done.",
)
def no_electricity(scenario: Scenario, rng: Random) -> Scenario:
    machines = [each for each in scenario.needed if each.kind in ELECTRIC]
    machine = one(machines, rng)
    how = _WITHOUT[machine.kind](scenario, machine)
    text = "The electricity is down."
    changed = replace(how, others=(*how.others, machine))
    changed = changed.with_assertions(never(text, Verb.SWITCH_ON, targets=(machine,)))
    return changed.with_notes(
        f"One thing is different today: the electricity is down; {_DESCRIBED[machine.kind]}."
    )


@counterfactual_rule(
    Circumstance.CAUSALITY,
    "A small child comes to visit: what could hurt it is put away.",
)
def toddler(scenario: Scenario, rng: Random) -> Scenario:
    room = scenario.room
    used = {each.category for each in scenario.needed}
    hazards = spare(scenario, *HAZARDS[room.kind])
    there = [each for each in hazards if each.category not in used and not room.hidden(each)]
    if not there:
        raise UnsuitableError
    things = tuple(there[:MOST_HAZARDS])
    taken = {
        place.kind
        for subgoal in scenario.subgoals
        if isinstance(subgoal, Put)
        for place in subgoal.places
    }
    place = one([each for each in room.of("Drawer", "Cabinet") if each.kind not in taken], rng)
    same_kind = [
        each for each in scenario.participants if each.kind == place.kind and each != place
    ]
    changed = scenario.with_subgoals(
        *scenario.subgoals, put(things, place, *same_kind), shut(place, *same_kind)
    )
    return changed.with_notes(
        "One thing is different today: a toddler comes to visit, who puts everything into the"
        f" mouth. So {in_words(things)} must be locked away in"
        f" {with_article(place.named.word)}, which is closed."
    )


@counterfactual_rule(Circumstance.CAUSALITY, "A storm is coming, and a window is open.")
def storm(scenario: Scenario, rng: Random) -> Scenario:
    window = one(scenario.room.of("Window"), rng)
    changed = scenario.with_subgoals(*scenario.subgoals, shut(window)).with_facts(
        Fact("open", window)
    )
    return changed.with_notes(
        "One thing is different today: a thunderstorm is coming up, the window stands open, and"
        " everything near it would get wet."
    )


def _on_the_stove(scenario: Scenario, machine: Thing) -> Scenario:
    """Cooking moves to a pan on the stove."""
    room = scenario.room
    pan, stove = require(loose(room, "Pan", "Pot")), first(room, "StoveBurner")
    subgoals = [each for each in scenario.subgoals if not _is_about(each, machine)]
    food = [
        thing
        for subgoal in scenario.subgoals
        if isinstance(subgoal, Put) and machine in subgoal.places
        for thing in subgoal.things
    ]
    last = (put(food, pan), put((pan,), stove)) if food else ()
    changed = scenario.with_subgoals(*subgoals, *last)
    tools = [each for each in scenario.tools if each != machine]
    facts = tuple(each for each in scenario.facts if each.thing != machine)
    return replace(changed.with_tools(*dict.fromkeys((*tools, pan, stove))), facts=facts)


def _kettle(scenario: Scenario, machine: Thing) -> Scenario:
    """Coffee is made with hot water from the stove."""
    del machine
    room = scenario.room
    kettle, stove = first(room, "Kettle"), first(room, "StoveBurner")
    table = first(room, "DiningTable", "CounterTop")
    mugs = [each for each in scenario.needed if each.kind == "Mug"]
    subgoals = (put((kettle,), stove), Be((stove,), "toggled_on"), put(mugs, table))
    return scenario.with_subgoals(*subgoals)


def _candle(scenario: Scenario, machine: Thing) -> Scenario:
    """No film: a book and a candle are on the table, and no lamp is on."""
    room = scenario.room
    subgoals = [each for each in scenario.subgoals if not _is_about(each, machine)]
    lamps = [each for each in subgoals if not (isinstance(each, Be) and each.state == "toggled_on")]
    candle, book = require(loose(room, "Candle")), require(loose(room, "Book"))
    all_lamps = room.of("DeskLamp", "FloorLamp")
    facts = tuple(each for each in scenario.facts if each.state != "toggled_on")
    dark = (Fact("toggled_on", each, positive=False) for each in all_lamps)
    changed = replace(scenario, facts=(*facts, *dark), others=(*scenario.others, *all_lamps))
    return changed.with_subgoals(*lamps, put((candle, book), first(room, "CoffeeTable")))


def _cupboard(scenario: Scenario, machine: Thing) -> Scenario:
    """What would go into the refrigerator is kept in a cabinet, out of the sun."""
    cabinet = require(spare(scenario, "Cabinet"))
    return exchanged(scenario, machine, cabinet)


def _is_about(subgoal: Subgoal, thing: Thing) -> bool:
    """Whether a job is about a thing alone, or puts things there."""
    match subgoal:
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
_DESCRIBED = {
    "CoffeeMachine": "water for coffee has to be boiled in the kettle on the gas stove, and the mug"
    " has to wait on the {table}",
    "Microwave": "the gas stove works, and the potato has to be cooked in a pan on it",
    "Toaster": "the gas stove works, and the bread has to be toasted in a pan on it",
    "Television": "there will be no film, and a candle and a book have to be on the coffee table"
    " instead",
    "Fridge": "the refrigerator is warm, and everything that would go there has to go into a"
    " cabinet instead",
}


# --- The place of a used thing at the end

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

    Raises UnsuitableError if the room has no such place, or the thing is in it already.
    """
    kinds = (*_PLACES.get(used.kind, _WET), *_TABLES)
    place = require([each for each in scenario.room.of(*kinds) if _serves(scenario, used, each)])
    taking = replace(scenario, subgoals=(*scenario.subgoals, put((used,), place)))
    preposition = "in" if relation_to(place) == INSIDE else "on"
    return taking, f"{preposition} the {place.named.word}"


def _serves(scenario: Scenario, used: Thing, place: Thing) -> bool:
    """Whether the place differs from where the thing is now, and nothing changes the place."""
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
def dirty_thing(scenario: Scenario, rng: Random) -> Scenario:
    kinds = Counter(each.kind for each in scenario.needed)
    dishes = [
        thing
        for thing in scenario.needed
        if thing.kind in (*DISHES, *CUTLERY)
        and kinds[thing.kind] == 1
        and not scenario.state_of(thing)
    ]
    dish, room = one(dishes, rng), scenario.room
    tool, sink = require(loose(room, *WIPES)), require(room.of("Sink"))
    changed = scenario.with_subgoals(wash(dish), *scenario.subgoals).with_facts(
        Fact("stained", dish)
    )
    changed = changed.with_tools(*dict.fromkeys((*scenario.tools, tool, sink)))
    return changed.with_notes(f"One thing is different today: the {dish.named.word} is dirty.")


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Some of the food has gone bad, and belongs in the trash can.",
)
def spoiled_food(scenario: Scenario, rng: Random) -> Scenario:
    can = require(spare(scenario, "GarbageCan"))
    foods = {
        subgoal: [each for each in subgoal.things if each.kind in FOOD]
        for subgoal in _puts(scenario)
    }
    subgoal = next((subgoal for subgoal, found in foods.items() if len(found) > 1), None)
    if subgoal is None:
        raise UnsuitableError
    bad = rng.choice(foods[subgoal])
    left = replace(subgoal, things=tuple(each for each in subgoal.things if each != bad))
    subgoals = [left if each == subgoal else _less(each, bad) for each in scenario.subgoals]
    changed = scenario.with_subgoals(
        *(each for each in subgoals if each is not None), put((bad,), can)
    )
    note = f"One thing is different today: the {bad.named.word} has gone bad. {BINNED}"
    return changed.with_facts(Fact("perished", bad)).with_notes(note)


@counterfactual_rule(
    Circumstance.PROPERTY,
    "The food that would be used has gone bad: another piece is taken, and it is thrown away.",
)
def spoiled_but_there_is_more(scenario: Scenario, rng: Random) -> Scenario:
    can = require(spare(scenario, "GarbageCan"))
    food = [each for each in scenario.needed if each.kind in FOOD and not scenario.state_of(each)]
    bad = one(food, rng)
    fresh = require(spare(scenario, bad.kind))
    changed = exchanged(scenario, bad, fresh)
    changed = changed.with_subgoals(*changed.subgoals, put((bad,), can)).with_facts(
        Fact("perished", bad)
    )
    here = scenario.room.holder(bad)
    where = f" near the {here.named.word}" if here else ""
    return changed.with_notes(
        f"One thing is different today: of the {bad.named.plural}, the one{where} has gone bad, and"
        f" there is another one. {BINNED}"
    )


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Food that is sliced or served cold is still frozen, and has to thaw first.",
)
def frozen_food(scenario: Scenario, rng: Random) -> Scenario:
    cooked = {
        each for subgoal in scenario.subgoals if _is(subgoal, "cooked") for each in subgoal.things
    }
    food = [each for each in scenario.needed if each.kind in FOOD and each not in cooked]
    hard = one([each for each in food if not scenario.state_of(each)], rng)
    chilled = any(
        hard in subgoal.things and subgoal.places[0].kind == "Fridge" for subgoal in _puts(scenario)
    )
    if chilled:
        raise UnsuitableError
    changed = scenario.with_subgoals(Be((hard,), "frozen", positive=False), *scenario.subgoals)
    note = f"One thing is different today: the {hard.named.word} is frozen hard."
    return changed.with_facts(Fact("frozen", hard)).with_notes(note)


@counterfactual_rule(Circumstance.PROPERTY, "Stains that water alone does not take off.")
def stubborn_stains(scenario: Scenario, rng: Random) -> Scenario:
    targets = stained(scenario)
    if not targets:
        raise UnsuitableError
    soap = one(loose(scenario.room, *SOAPS), rng)
    text = f"The stains are old, and come off with {in_words((soap,))} only."
    used = scenario.with_tools(*dict.fromkeys((*scenario.tools, soap)))
    changed, where = left_afterwards(used, soap)
    kinds = dict.fromkeys(each.category for each in targets)
    for kind in kinds:
        ours = [each for each in targets if each.category == kind]
        changed = changed.with_assertions(does(text, Verb.CLEAN, ours, (soap,)))
    return changed.with_notes(
        f"One thing is different today: {text[0].lower()}{text[1:]}"
        f" {sentence(f'{in_words((soap,))} is to be {where} at the end')}"
    )


@counterfactual_rule(
    Circumstance.PROPERTY,
    "Where things usually go, nothing can go: another place serves.",
)
def unfit_place(scenario: Scenario, rng: Random) -> Scenario:
    places = [subgoal.places[0] for subgoal in _puts(scenario) if len(subgoal.places) == 1]
    bad = one([each for each in dict.fromkeys(places) if each.kind in PLACES], rng)
    wrong, kinds = PLACES[bad.kind]
    new = require([each for each in spare(scenario, *kinds) if each.category != bad.category])
    changed = exchanged(scenario, bad, new)
    if any(_moved(subgoal, new) for subgoal in changed.subgoals) and not new.movable:
        raise UnsuitableError
    text = f"The {bad.named.word} {wrong}."
    placing = (Verb.PLACE_INSIDE, Verb.PLACE_ON_TOP)
    changed = changed.with_assertions(never(text, *placing, targets=(bad,)))
    changed = replace(changed, others=(*changed.others, bad))
    note = f"One thing is different today: the {bad.named.word} {wrong};"
    return changed.with_notes(f"{note} use the {new.named.word} instead.")


def _puts(scenario: Scenario) -> tuple[Put, ...]:
    return tuple(subgoal for subgoal in scenario.subgoals if isinstance(subgoal, Put))


def _is(subgoal: object, state: str) -> bool:
    return isinstance(subgoal, Be) and subgoal.state == state


def _moved(subgoal: object, thing: Thing) -> bool:
    return isinstance(subgoal, Put) and thing in subgoal.things


def _less(subgoal: object, thing: Thing) -> Be | Put | None:
    """A job without a thing; None where it was about this one alone."""
    if not isinstance(subgoal, Be | Put) or thing not in subgoal.things:
        return subgoal if isinstance(subgoal, Be | Put) else None
    left = tuple(each for each in subgoal.things if each != thing)
    return replace(subgoal, things=left) if left else None


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
def no_wipe(scenario: Scenario, rng: Random) -> Scenario:
    return _without_tool(scenario, rng, WIPES, Verb.CLEAN)


@counterfactual_rule(Circumstance.FUNCTION, "The kitchen knives are missing: a table knife cuts.")
def no_knife(scenario: Scenario, rng: Random) -> Scenario:
    return _without_tool(scenario, rng, ("Knife", "ButterKnife"), Verb.SLICE)


@counterfactual_rule(
    Circumstance.FUNCTION,
    "The usual vessel for water is missing: something else holds water, too.",
)
def no_vessel(scenario: Scenario, rng: Random) -> Scenario:
    plants = [
        subgoal
        for subgoal in scenario.subgoals
        if isinstance(subgoal, Be) and subgoal.state == "soaked"
    ]
    if not plants:
        raise UnsuitableError
    return _without_tool(scenario, rng, VESSELS, Verb.POUR)


@counterfactual_rule(
    Circumstance.FUNCTION,
    "The usual container is missing: something else holds the things.",
)
def no_container(scenario: Scenario, rng: Random) -> Scenario:
    movable = [each for each in _containers(scenario) if each.kind in VESSEL_FOR_FOOD]
    usual = one(movable, rng)
    new = require(spare(scenario, *VESSEL_FOR_FOOD[usual.kind]))
    if not new.movable and any(_moves(subgoal, usual) for subgoal in scenario.subgoals):
        raise UnsuitableError
    changed = _gone(exchanged(scenario, usual, new), usual.kind)
    note = f"One thing is different today: there is no {usual.named.word} in the {_room(scenario)};"
    return changed.with_notes(f"{note} the {new.named.word} has to serve.")


@counterfactual_rule(Circumstance.FUNCTION, "There are no forks: people eat with spoons.")
def no_fork(scenario: Scenario, rng: Random) -> Scenario:
    fork = one([each for each in scenario.needed if each.kind == "Fork"], rng)
    spoon = require(spare(scenario, "Spoon"))
    changed = _gone(exchanged(scenario, fork, spoon), "Fork")
    note = "One thing is different today: there are no forks in the kitchen; a spoon has to serve."
    return changed.with_notes(note)


def _without_tool(scenario: Scenario, rng: Random, kinds: tuple[str, ...], verb: Verb) -> Scenario:
    usual = one([each for each in scenario.tools if each.kind in kinds], rng)
    left = [kind for kind in kinds if kind != usual.kind]
    new = require(spare(scenario, *left))
    targets = tuple(
        thing
        for subgoal in scenario.subgoals
        if isinstance(subgoal, Be) and subgoal.state in _DONE[verb]
        for thing in subgoal.things
    )
    changed, where = left_afterwards(_gone(exchanged(scenario, usual, new), usual.kind), new)
    text = f"In place of the {usual.named.word}, the {new.named.word} is used."
    for kind in dict.fromkeys(each.category for each in targets):
        ours = [each for each in targets if each.category == kind]
        changed = changed.with_assertions(does(text, verb, ours, (new,)))
    note = f"One thing is different today: there is no {usual.named.word} in the {_room(scenario)};"
    return changed.with_notes(
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
    subgoals = [subgoal for subgoal in scenario.subgoals if isinstance(subgoal, Put)]
    return list(dict.fromkeys((*(subgoal.places[0] for subgoal in subgoals), *_pans(scenario))))


def _pans(scenario: Scenario) -> tuple[Thing, ...]:
    return tuple(each for each in scenario.tools if each.kind in ("Pan", "Pot"))


def _moves(subgoal: object, thing: Thing) -> bool:
    return isinstance(subgoal, Put) and thing in subgoal.things


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
