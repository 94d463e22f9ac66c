"""Verbs, adjectives, prepositions and numbers of household commands, in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from env_service.suites.alfred.judging.intent import State


class Act(Enum):
    """What a clause tells the robot to do."""

    PUT = "put"
    TAKE = "take"
    LOOK = "look"
    HEAT = "heat"
    COOL = "cool"
    CLEAN = "clean"
    SLICE = "slice"
    SWITCH = "switch"
    DISCARD = "discard"
    OTHER = "other"


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBS: Mapping[Act, str] = {
    Act.PUT: "put place set lay move drop store toss throw stash return leave bring transfer"
    " relocate deposit rest position hang dump serve stow keep insert pop stick slide shift deliver"
    " load arrange gather tuck situate add plop prop slip hide secure pack box organize"
    " carry transport fling chuck stack settle park plan lower",
    Act.TAKE: "take grab pick get retrieve remove fetch collect find hold lift obtain select"
    " acquire",
    Act.LOOK: "examine look inspect check view see study observe read scan scrutinize review"
    " investigate survey peruse",
    Act.HEAT: "heat warm microwave cook reheat bake boil toast roast",
    Act.COOL: "cool chill refrigerate freeze",
    Act.CLEAN: "clean wash rinse scrub polish wipe sanitize disinfect scour soak",
    Act.SLICE: "slice cut chop dice carve halve",
    Act.SWITCH: "turn switch",
    Act.DISCARD: "discard dispose trash",
    Act.OTHER: "open close use walk go ensure make prepare finish bin",
}

_IRREGULAR: Mapping[str, str] = {
    "took": "take",
    "taken": "take",
    "got": "get",
    "kept": "keep",
    "brought": "bring",
    "threw": "throw",
    "thrown": "throw",
    "held": "hold",
    "hung": "hang",
    "hold": "hold",
    "laid": "lay",
    "left": "leave",
    "stuck": "stick",
    "slid": "slide",
    "hid": "hide",
    "hidden": "hide",
    "saw": "see",
    "seen": "see",
    "froze": "freeze",
    "frozen": "freeze",
    "found": "find",
    "made": "make",
    "cleand": "clean",
}

NOT_VERBS = frozenset({"left", "found", "hidden", "setting", "lighting", "sets", "looks", "stack"})
"""Forms that are something else in these commands ("to the left of", "two sets of keys")."""


def _forms(base: str) -> Iterator[str]:
    yield base
    doubled = base + base[-1] if re.fullmatch(r".*[^aeiou][aeiou][bdgmnprt]", base) else base
    stem = base.removesuffix("e") if not base.endswith("ee") else base
    yield base + ("es" if re.search(r"(s|sh|ch|x|z)$", base) else "s")
    for root in {stem, doubled if doubled != base else stem}:
        yield root + "ed"
        yield root + "ing"
    if base.endswith("y"):
        yield base[:-1] + "ied"


def _verbs() -> dict[str, Act]:
    found: dict[str, Act] = {}
    for act, bases in _VERBS.items():
        for base in bases.split():
            for form in _forms(base):
                found.setdefault(form, act)
    found.update({form: found[base] for form, base in _IRREGULAR.items()})
    return {form: act for form, act in found.items() if form not in NOT_VERBS}


VERBS: Mapping[str, Act] = _verbs()
"""Every form of every verb, to what it does."""

BASES = frozenset(base for bases in _VERBS.values() for base in bases.split())
"""The forms in which a command gives an order."""

_ADJECTIVES: Mapping[State, str] = {
    State.HEATED: "hot warm heated warmed microwaved cooked reheated baked toasted steaming"
    " boiled roasted fried toasty",
    State.COOLED: "cold cool cooled chilled refrigerated frozen icy iced chilly frosty",
    State.CLEANED: "clean cleaned cleand washed rinsed scrubbed polished spotless sanitized wiped"
    " wet sparkling disinfected pristine immaculate gleaming shiny damp purified sterilized"
    " laundered hygienic scoured unsoiled squeaky",
}

_STATE_ACTS: Mapping[Act, State] = {
    Act.HEAT: State.HEATED,
    Act.COOL: State.COOLED,
    Act.CLEAN: State.CLEANED,
}


def _states() -> dict[str, State]:
    found = {word: state for state, words in _ADJECTIVES.items() for word in words.split()}
    for act, state in _STATE_ACTS.items():
        for base in _VERBS[act].split():
            for form in _forms(base):
                found.setdefault(form, state)
    found["refrigerate"] = found["refrigerating"] = State.COOLED
    return found


STATES: Mapping[str, State] = _states()
"""Verbs and adjectives that tell a change of state."""

SLICING = _listed(
    "slice sliced slices slicing cut cutting cuts chop chopped chopping dice diced piece"
    " pieces section sections chunk chunks wedge wedges portion portions halved carve"
    " carved"
)
TWO = frozenset({"two", "2", "both", "pair", "couple", "twin"})
MANY = frozenset({"all", "several", "some", "every", "multiple", "these", "those"})
GROUPS = frozenset({"set", "slices", "sets", "pieces", "heads", "loaves", "bunch"})
"""What may be of one thing or of more, where "of" follows: "sets of keys"."""

PLACING = _listed("in on into onto inside to at atop upon within inot over")
LEAVING = frozenset({"from", "off"})
BESIDE = _listed(
    "by near beside behind above below beneath underneath between against along around"
    " toward towards under"
)
CONTAINING = frozenset({"with", "containing", "holding", "contains", "carrying", "having"})
PARTS = _listed("top back inside edge end middle center centre bottom rest surface lid")
"""What stands before "of" and leaves the place what it is: "on top of the toilet"."""
NEARBY_TO = frozenset({"next", "close", "adjacent", "prior"})
"""What stands before "to" and makes the place a landmark."""
ORDINALS = frozenset({"first", "second", "third", "fourth", "last"})
"""What stands before "from" and counts: "the second from the bottom shelf"."""
CONTENT_OF = _listed(
    "slice slices piece pieces head heads bar roll chunk section box set pair couple bunch loaf"
)
"""What stands before "of" and leaves the thing what it is: "a slice of bread"."""
LINKS = frozenset({"and", "then", "while", "before", "after", "when", "once", "prior"})
"""Words at which a clause may end."""
