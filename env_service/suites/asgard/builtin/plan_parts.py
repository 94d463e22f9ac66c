"""What a built-in task's plan is made of, in the published schema: its goals, its room's
disorder, and how many steps it is taken to need.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from env_service.suites.asgard.builtin.rounds import Variation
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import Family, RequiredEvent, SetupKind, State

Entry = dict[str, Any]

_OFF = ("CoffeeMachine", "Toaster", "StoveKnob")
_SHUT = ("Microwave", "Fridge")

_COOKED: dict[Family, tuple[str, str, str]] = {
    Family.MICROWAVE_POTATO: ("Potato", "Potato", "Bowl"),
    Family.COOK_EGG: ("Egg", "EggCracked", "Plate"),
    Family.MAKE_TOAST: ("Bread", "BreadSliced", "Plate"),
    Family.FRY_POTATO_SLICE: ("PotatoSliced", "PotatoSliced", "Plate"),
}
"""What has to be cooked, what is served then, on what."""


def goals_for(variation: Variation, away: Iterable[str]) -> Entry:
    """The value of the plan's key "goal"; ``away`` are the types to put away."""
    family = variation.family
    goal: Entry = {
        "location_goals": _locations(variation),
        "state_goals": [*_shared(family), *_states(variation)],
        "put_away_goals": [_entry(object_type=each) for each in away],
        "action_goals": {},
        "contents_goals": [],
    }
    if family is Family.COFFEE:
        goal["put_away_goals"] = [_entry(object_type="Mug")]
        goal["action_goals"] = {RequiredEvent.DRINK_COFFEE.value: True}
    elif family is Family.CLEAN_MIRROR:
        goal["action_goals"] = {RequiredEvent.SPRAY_MIRROR.value: True}
    elif family is Family.SET_TABLE:
        contents = ["Mug", "Plate", "BreadSliced"]
        goal["contents_goals"] = [_entry(container_type="DiningTable", contents=contents)]
    return goal


def _entry(**fields: Any) -> Entry:
    # What every published goal says, though it is left over from making the plan.
    return {**fields, "outcome": "success"}


def _state(object_type: str, state: State, *, value: bool) -> Entry:
    return _entry(object_type=object_type, state=state.value, value=value)


def _location(object_type: str, destination: str) -> Entry:
    return _entry(object_type=object_type, destination_type=destination)


def _shared(family: Family) -> list[Entry]:
    """How a kitchen is to be left."""
    if family in (Family.CLEAN_MIRROR, Family.TURN_ON_TV):
        return []
    return [
        *(_state(each, State.TOGGLED, value=False) for each in _OFF),
        *(_state(each, State.OPEN, value=False) for each in _SHUT),
        _state("Faucet", State.TOGGLED, value=False),
    ]


def _locations(variation: Variation) -> list[Entry]:
    if variation.family in _COOKED:
        _, served, dish = _COOKED[variation.family]
        return [_location(served, dish)]
    if variation.family is Family.SET_TABLE:
        return [_location("BreadSliced", "Plate")]
    return [_location(object_tables().slices[variation.food], dish) for dish in variation.dishes]


def _states(variation: Variation) -> list[Entry]:
    family = variation.family
    found: list[Entry] = []
    if family in _COOKED:
        found.append(_state(_COOKED[family][0], State.COOKED, value=True))
    if family is Family.SET_TABLE:
        found.append(_state("Mug", State.FILLED, value=True))
    if family is Family.TURN_ON_TV:
        found.append(_state("Television", State.TOGGLED, value=True))
    # Drinking from the mug makes it dirty, also if it was clean at the start.
    clean = ("Mug",) if family is Family.COFFEE else variation.dirty
    found += [_state(each, State.DIRTY, value=False) for each in clean]
    if family is Family.COFFEE:
        found.append(_state("Mug", State.FILLED, value=False))
    return found


# --- How a built-in task's room is disordered: the families' object setups (docs/asgard.md,
# "Task"), and what is done to single objects (docs/asgard.md, "Task")

_CLUTTER = ("Kitchen", "Silverware", "Food")
_COOKED_WITH = ("DishSponge", "Pan", "Plate", "Bowl", "Knife")
_REMOTE_PLACES = ("CoffeeTable", "CounterTop", "Floor", "Shelf", "SideTable")
_BATHROOM_THINGS = (
    "Candle", "DishSponge", "HousePlant", "PaperTowelRoll", "Plunger", "ScrubBrush", "SoapBar",
    "SoapBottle",
)  # fmt: skip
_BATHROOM_PLACES = ("CounterTop", "Floor", "Shelf")
_LARGE_THINGS = (
    "Boots", "Bowl", "Box", "Candle", "HousePlant", "Statue", "TissueBox", "WateringCan", "Vase",
)  # fmt: skip
_LARGE_PLACES = ("CounterTop", "Floor", "Shelf", "SideTable", "ShelvingUnit")
_SMALL_THINGS = (
    "Book", "CellPhone", "CreditCard", "KeyChain", "Laptop", "Newspaper", "Pen", "Pillow",
    "Pencil", "TissueBox", "Watch",
)  # fmt: skip
_SMALL_PLACES = ("CounterTop", "Shelf", "Sofa", "SideTable", "ShelvingUnit")

_FOOD: dict[Family, str] = {
    Family.MICROWAVE_POTATO: "Potato",
    Family.COOK_EGG: "Egg",
    Family.MAKE_TOAST: "Bread",
    Family.FRY_POTATO_SLICE: "Potato",
}

AWAY_CLASSES: Mapping[Family, str] = {
    Family.PUT_AWAY_FOOD: "Food",
    Family.PUT_AWAY_DISHES: "Dishes",
    Family.PUT_AWAY_SILVERWARE: "Silverware",
}
"""The class of what is put away."""


def target_types(variation: Variation) -> tuple[str, ...]:
    """What is placed first, and not taken away to make room."""
    match variation.family:
        case Family.COFFEE:
            return ("Mug", "DishSponge")
        case Family.SLICE_AND_DISTRIBUTE:
            return (variation.food, "DishSponge", "Knife", "Pan", "Plate", "Bowl", "Pot")
        case Family.SET_TABLE:
            return ("DishSponge", "Mug", "Plate", "Bread", "Knife")
        case Family.CLEAN_MIRROR:
            return ("Cloth", "SprayBottle")
        case Family.TURN_ON_TV:
            return ("RemoteControl",)
    if variation.family in AWAY_CLASSES:
        return ("DishSponge", *object_tables().classes[AWAY_CLASSES[variation.family]])
    return (_FOOD[variation.family], *_COOKED_WITH)


def object_setup(variation: Variation) -> Entry:
    """The value of the plan's key "object_setup"."""
    family, targets = variation.family, target_types(variation)
    places = _REMOTE_PLACES if family is Family.TURN_ON_TV else None
    return {
        "target_setup": _placement(_selected(types=targets), places),
        "distractor_setups": _distractors(family),
        "employed_types": list(targets),
    }


def _distractors(family: Family) -> list[Entry]:
    if family is Family.CLEAN_MIRROR:
        return [_placement(_selected(types=_BATHROOM_THINGS), _BATHROOM_PLACES)]
    if family is Family.TURN_ON_TV:
        return [
            _placement(_selected(types=_LARGE_THINGS), _LARGE_PLACES),
            _placement(_selected(types=_SMALL_THINGS), _SMALL_PLACES),
        ]
    if family is Family.SLICE_AND_DISTRIBUTE:
        return [_placement(_selected(classes=_CLUTTER[:2]))]
    # The published setups for putting away also list other objects, but no class of objects.
    return [_placement(_selected(classes=_CLUTTER[:1] if family in AWAY_CLASSES else _CLUTTER))]


def _placement(objects: Entry, containers: Sequence[str] | None = None) -> Entry:
    return {
        "object_specifier": objects,
        "container_specifier": None if containers is None else _selected(types=containers),
    }


def _selected(*, types: Sequence[str] = (), classes: Sequence[str] = ()) -> Entry:
    return {
        "names": None,
        "types": list(types) or None,
        "classes": list(classes) or None,
        "secondary_names": None,
        "secondary_types": None,
        "preferred_name": None,
        "all": False,
    }


def setup_actions(variation: Variation, names: Mapping[str, str]) -> list[Entry]:
    """The value of the plan's key "setup_actions"; ``names`` are those of the objects by type."""
    found = [_action(SetupKind.DIRTY, names[each]) for each in variation.dirty]
    if variation.mug == "empty":
        found.append(_action(SetupKind.EMPTY, names["Mug"]))
    if variation.mug == "has_coffee":
        found.append(_action(SetupKind.FILL, names["Mug"], "coffee"))
    return found


def _action(kind: SetupKind, name: str, argument: str | None = None) -> Entry:
    return {"action": kind.value, "object_name": name, "argument": argument}


# --- How many steps a built-in task is taken to need; its limits follow from that as an official
# task's do from the length of its known solution (`limits.StepLimits`)

FETCH = 2
"""FIND, PICKUP."""

PLACE = 2
"""FIND, PUT."""

SWITCH = 2
"""TOGGLE_ON, TOGGLE_OFF."""

STORE = 6
"""FIND, PICKUP; FIND, OPEN, PUT, CLOSE: from where it lies to its home, which has a door."""

WASH = FETCH + PLACE + FETCH + SWITCH + 1 + PLACE
"""The dish into the sink, the sponge, the water on, CLEAN, the water off, the sponge put down."""

IN_THE_SINK = 3
"""Things in the sink or in the dish before the first washing; each goes to a surface
(`FETCH`, `PLACE`)."""

ON_THE_TABLE = 6
"""Things on a table that is to be set; each goes to its home (`STORE`)."""

_SLICE = FETCH + 2 + PLACE
"""The knife; FIND, SLICE; the knife put down."""

_PAN_ON_BURNER = FETCH + PLACE

_BREW = PLACE + SWITCH + 1
"""The mug in the hand into the machine; on, off; PICKUP."""

_TOAST = _SLICE + FETCH + PLACE + SWITCH

_SERVE = FETCH + PLACE

_MICROWAVE = FETCH + 1 + 8 + PLACE
"""The potato; FIND; OPEN, PUT, CLOSE, on, off, OPEN, PICKUP, CLOSE; into the bowl."""

_MOVED_ANYWAY = frozenset({"Mug", "Pan"})
"""What the task needs elsewhere later, clean or washed. Other dishes are used for serving, and
taken out of the sink for it."""


def step_count(variation: Variation) -> int:
    """Steps, at least 1; a function of the variation alone."""
    match variation.family:
        case Family.COFFEE:
            return _coffee(variation)
        case Family.SET_TABLE:
            return _set_table(variation)
        case Family.CLEAN_MIRROR:
            return FETCH + 2 + PLACE + FETCH + 2
        case Family.TURN_ON_TV:
            return FETCH + 2
    if variation.family in AWAY_CLASSES:
        return STORE * variation.away + _washing(variation, tidied=variation.away)
    return _dish(variation) + _washing(variation)


def _dish(variation: Variation) -> int:
    """Preparing and serving food on clean dishes."""
    match variation.family:
        case Family.MICROWAVE_POTATO:
            return _MICROWAVE
        case Family.COOK_EGG:
            return _PAN_ON_BURNER + FETCH + PLACE + 1 + SWITCH + _SERVE
        case Family.MAKE_TOAST:
            return _TOAST + _SERVE
        case Family.FRY_POTATO_SLICE:
            return _SLICE + _PAN_ON_BURNER + FETCH + PLACE + SWITCH + _SERVE
    return _SLICE + _SERVE * len(variation.dishes)


def _coffee(variation: Variation) -> int:
    brewing = 0 if variation.mug == "has_coffee" else _BREW
    # The mug is in the hand when it has been drunk from, so it need not be fetched to be washed.
    drinking = FETCH + brewing + 1 + WASH - FETCH
    return IN_THE_SINK * (FETCH + PLACE) + WASH * len(variation.dirty) + drinking + STORE


def _set_table(variation: Variation) -> int:
    brewing = 0 if variation.mug == "has_coffee" else _BREW
    laying = FETCH + brewing + PLACE + FETCH + PLACE
    return ON_THE_TABLE * STORE + _washing(variation) + laying + _TOAST + _SERVE


def _washing(variation: Variation, tidied: int = 1) -> int:
    """Washing all that is dirty. ``tidied`` is how many dishes the task moves, the dirty one among
    them: the others are taken for things in the way, and do not count twice."""
    if not variation.dirty:
        return 0
    in_the_way = max(IN_THE_SINK + 1 - tidied, 0) * (FETCH + PLACE)
    taken_out = 0 if variation.away else len(set(variation.dirty) - _MOVED_ANYWAY)
    return in_the_way + WASH * len(variation.dirty) + (FETCH + PLACE) * taken_out
