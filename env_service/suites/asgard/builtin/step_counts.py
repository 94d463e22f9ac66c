"""How many steps a built-in task is taken to need; its limits follow from that as an official
task's do from the length of its known solution (`limits.StepLimits`).

It is counted out from the task alone, action by action, as one would do it who knows the house and
meets the usual disorder: nobody plays it. How much disorder that is (`IN_THE_SINK`,
`ON_THE_TABLE`) is chosen so that the counts come near to the lengths of the published solutions
(spec: asgard.md section 1.4). Steps from least to most, and mean:

    family                 published          built in
    coffee                 25-51 (38.3)       30-46 (37.0)
    microwave a potato     12-44 (27.7)       13-40 (26.5)
    cook an egg            12-63 (37.3)       15-53 (37.0)
    make toast             13-70 (34.2)       16-43 (29.5)
    fry a potato slice     17-69 (44.5)       20-58 (42.0)
    put away food          11-17 (13.3)       12-18 (14.0)
    put away dishes        9-43 (26.4)        12-35 (29.5)
    put away silverware    11-22 (16.7)       12-24 (18.0)
    slice and distribute   6-48 (24.2)        10-45 (25.3)
    set the table          54-107 (77.8)      60-88 (71.0)
    clean the mirror       8-11 (9.7)         10 (10.0)
    turn on the TV         4 (4.0)            4 (4.0)
"""

from __future__ import annotations

from env_service.suites.asgard.builtin.setups import AWAY_CLASSES
from env_service.suites.asgard.builtin.variations import Variation
from env_service.suites.asgard.plan import Family

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
"""Things that lie in the sink or in the dish before the first washing; each goes to a surface
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
"""What the task goes on to use elsewhere, clean or washed; other dishes are served on, and taken
out of the sink for it."""


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
