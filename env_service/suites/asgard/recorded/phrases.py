"""What the steps of a published solution say, such as "Put Mug in Cabinet" (spec section 1.7)."""

from __future__ import annotations

import re

from env_service.suites.asgard.parsing import Command
from env_service.suites.asgard.vocabulary import Verb

_VERBS = {
    "Find": Verb.FIND,
    "Pickup": Verb.PICKUP,
    "Put": Verb.PUT,
    "Open": Verb.OPEN,
    "Close": Verb.CLOSE,
    "Turn on": Verb.TOGGLE_ON,
    "Turn off": Verb.TOGGLE_OFF,
    "Clean": Verb.CLEAN,
    "Slice": Verb.SLICE,
    "Empty": Verb.EMPTY,
    "Drink": Verb.DRINK,
    "Spray": Verb.SPRAY,
}
_PHRASE = re.compile(
    r"(?P<words>Turn on|Turn off|[A-Z][a-z]+) (?P<object>\w+)(?: in (?P<place>\w+))?"
)


def read_phrase(text: str) -> Command:
    """The action that a step's words stand for. Of "Put Mug in Cabinet" it is PUT Cabinet.

    Raises ValueError for words that are none of the twelve actions.
    """
    match = _PHRASE.fullmatch(text)
    verb = _VERBS.get(match["words"]) if match else None
    if match is None or verb is None or (verb is Verb.PUT) is not bool(match["place"]):
        raise ValueError(
            f"{text!r} is no action: it has to be one of {', '.join(_VERBS)} and an object,"
            " as in 'Find Mug' or 'Put Mug in Cabinet'"
        )
    return Command(verb, match["place"] or match["object"])
