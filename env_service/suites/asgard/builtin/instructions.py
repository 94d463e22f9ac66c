"""What a built-in task tells the agent to do. Where the benchmark's own short texts are known
(spec: asgard.md section 1.4), in their words."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.suites.asgard.builtin.variations import Variation
from env_service.suites.asgard.plan import Family

_TEXTS: dict[Family, str] = {
    Family.MICROWAVE_POTATO: "Cook a potato in the microwave and serve it in a bowl.",
    Family.COOK_EGG: "Fry an egg in a pan and serve it on a plate.",
    Family.MAKE_TOAST: "Toast a slice of bread and serve it on a plate.",
    Family.FRY_POTATO_SLICE: "Fry a slice of potato in a pan and serve it on a plate.",
    Family.SET_TABLE: "Clear the dining table, then set it with a mug of coffee and a slice of"
    " toast on a plate.",
    Family.CLEAN_MIRROR: "Clean the mirror.",
    Family.TURN_ON_TV: "Turn on the television.",
}


def instruction(variation: Variation, away: Sequence[str]) -> str:
    """One sentence; ``away`` are the types to put away."""
    if variation.family in _TEXTS:
        return _TEXTS[variation.family]
    if variation.family is Family.COFFEE:
        if variation.mug == "has_coffee":
            return "Consume coffee from a mug, then wash and store the mug"
        return "Prepare a mug of coffee, drink it, then wash and store the mug."
    if away:
        return f"Put away the {_listed(away)}"
    return f"Slice the {variation.food} and put a piece in the {_listed(variation.dishes)}"


def _listed(words: Sequence[str]) -> str:
    """A, B and C."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
