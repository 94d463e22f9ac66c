"""Where our rules and LoTa-Bench's code differ, and which of them is played.

Each field of `Rules` is one difference (docs/alfred-rules.md, "Two sets of rules"). False is our
exact rule, True what LoTa-Bench's code does, and the metadata of the field describes both.
Everything else is alike.

Not among them, as nothing of it can be seen in AI2-THOR 5.0.0: LoTa-Bench's code clears all marks
of a kind where a simulator reports no list of contents (docs/alfred-rules.md, "Skills"), and 5.0.0
always
does. Nor that its slice flag stays set for the tasks that follow: a score would depend on their
order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


def _difference(*, exact: str, lota: str) -> bool:
    sources = {"exact": exact, "lota": lota}
    found: bool = field(default=False, metadata=sources)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of an episode. `EXACT` and `STRICT_LOTA` are the two that have a name."""

    substring_goals: bool = _difference(
        exact="A goal means objects of exactly its type.",
        lota="It means all objects whose id contains its type: a Potato meets a goal of a Pot, a"
        " TissueBox is a Box, and a slice counts as the whole.",
    )
    sliced_flag: bool = _difference(
        exact="Slices are preferred for types of which something was sliced in this episode.",
        lota="After any attempt to slice, even a failed one, slices of every type are preferred.",
    )
    sixteen_characters: bool = _difference(
        exact="If put down fails, the robot keeps the object.",
        lota="If a put fails with a message of more than 16 characters, the object is dropped on"
        " the spot.",
    )
    nearest_instance: bool = _difference(
        exact="A name means what the plan has done with it: the object found right before; to"
        " open, the door in front of it; to carry, slices, if one was sliced, then what was put"
        " into something that was then opened, closed or switched, and only last what was put"
        " down and left; with a full hand, what was put down before, or the place of an object of"
        " the same type. Otherwise it means the nearest, as in LoTa-Bench.",
        lota="Every skill takes the nearest instance again: a cleaned object is swapped for a"
        " nearer one, and of two objects the first is picked up twice.",
    )
    nearest_place: bool = _difference(
        exact="find goes to the nearest place with a view of the object, if necessary past what"
        " it holds: among the nearest 20, then all within 1.5 m; if there is no view, to the"
        " nearest free place.",
        lota="It goes to the nearest free place, with or without a view.",
    )


EXACT = Rules()
STRICT_LOTA = Rules(**{each.name: True for each in fields(Rules)})

RULES: Mapping[str, Rules] = {"exact": EXACT, "strict-lota": STRICT_LOTA}
"""By the value of the setting ``rules``; the first is the default."""
