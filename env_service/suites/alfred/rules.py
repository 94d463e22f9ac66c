"""The differences between our rules and LoTa-Bench's code, and the two sets to choose from.

Each field of `Rules` is one difference (docs/alfred-rules.md, "Two sets of rules"): False selects
our exact rule, True the behaviour of LoTa-Bench's code. The field's metadata describes both.

Two differences of LoTa-Bench's code are not fields. It clears all marks of a kind if a simulator
reports no list of contents (docs/alfred-rules.md, "Skills"), but AI2-THOR 5.0.0 always reports one.
And its slice flag stays set for the following tasks, so that a score would depend on their order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


def _difference(*, exact: str, lota: str) -> bool:
    sources = {"exact": exact, "lota": lota}
    found: bool = field(default=False, metadata=sources)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of an episode. `EXACT` and `STRICT_LOTA` are the two named sets."""

    substring_goals: bool = _difference(
        exact="An object meets a goal only if its type is exactly the goal's type.",
        lota="An object meets a goal if its id contains the goal's type: a Potato counts as a Pot,"
        " a TissueBox as a Box, and a slice as the whole object.",
    )
    sliced_flag: bool = _difference(
        exact="Skills prefer slices of a type only if an object of this type was sliced in the"
        " episode.",
        lota="After any attempt to slice, even a failed one, skills prefer slices of every type.",
    )
    sixteen_characters: bool = _difference(
        exact="If put down fails, the robot keeps the object.",
        lota="If put down fails with a message of more than 16 characters, the robot drops the"
        " object on the spot.",
    )
    nearest_instance: bool = _difference(
        exact="A name means the object that the plan last used: the object found right before. For"
        " open, it is also the door in front of that object. For an object to carry, it is a slice"
        " if one was sliced, then an object that was put into something that was afterwards"
        " opened, closed or switched, and only last an object that was put down and left. If the"
        " hand is full, it is an object that was put down before, or the place where an object of"
        " the same type was put. In all other cases it is the nearest object, as in LoTa-Bench.",
        lota="Every skill takes the nearest object anew. So a nearer object can replace a cleaned"
        " one, and of two objects the robot picks up the first one twice.",
    )
    nearest_place: bool = _difference(
        exact="find goes to the nearest place with a view of the object. If the held object hides"
        " it, the robot looks past the held object. It tries the nearest 20 places, then all"
        " places within 1.5 m. If no place has a view, it goes to the nearest free place.",
        lota="find goes to the nearest free place, with or without a view.",
    )


EXACT = Rules()
STRICT_LOTA = Rules(**{each.name: True for each in fields(Rules)})

RULES: Mapping[str, Rules] = {"exact": EXACT, "strict-lota": STRICT_LOTA}
"""By the value of the setting ``rules``; the first is the default."""
