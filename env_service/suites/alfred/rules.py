"""Where our rules and LoTa-Bench's code differ, and which of them is played.

Each field of `Rules` is one difference: False is our exact rule, True what LoTa-Bench's code does.
The metadata of the field says both, and where the specification has it. Everything else is alike.

Not among them, as nothing of it can be seen in AI2-THOR 5.0.0: LoTa-Bench's code clears all marks
of a kind where a simulator reports no list of contents (spec section 3.3), and 5.0.0 always does.
Nor that its slice flag stays set for the tasks that follow: a score would depend on their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


def _difference(*, exact: str, lota: str, section: str) -> bool:
    told = {"exact": exact, "lota": lota, "section": section}
    found: bool = field(default=False, metadata=told)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of an episode. `EXACT` and `STRICT_LOTA` are the two that have a name."""

    substring_goals: bool = _difference(
        exact="A goal means objects of exactly its type.",
        lota="It means all objects whose id contains its type: a Potato meets a goal of a Pot, a"
        " TissueBox is a Box, and a slice will do for the whole.",
        section="3.7",
    )
    sliced_flag: bool = _difference(
        exact="Slices are preferred of a type of which something was sliced in this episode.",
        lota="Any attempt to slice, also one that fails, prefers slices of every type from then"
        " on.",
        section="3.3",
    )
    sixteen_characters: bool = _difference(
        exact="What cannot be put down stays in the hand.",
        lota="After a put that fails with a message of more than 16 characters the object is"
        " dropped on the spot.",
        section="3.3",
    )
    nearest_instance: bool = _difference(
        exact="A name means what the plan has made of it: what was found right before; to be"
        " opened, the door behind which that lies; to carry, slices, where one was sliced, and what"
        " was put into something that was then opened, closed or switched, and only at last what"
        " was put down and left; with a full hand, what was put down before, or where one of the"
        " same type was put. Else it means the nearest, as in LoTa-Bench.",
        lota="Every skill takes the nearest instance anew: what was cleaned is swapped for what"
        " lies nearer, and of two things the first is picked up twice.",
        section="3.3",
    )
    nearest_place: bool = _difference(
        exact="find goes to the nearest place from which it sees the object, past what it holds if"
        " need be: of the nearest 20, then of all within 1.5 m; to the nearest free one if it sees"
        " it from none.",
        lota="It goes to the nearest free place, whatever is to be seen from there.",
        section="3.3",
    )


EXACT = Rules()
STRICT_LOTA = Rules(**{each.name: True for each in fields(Rules)})

RULES: Mapping[str, Rules] = {"exact": EXACT, "strict-lota": STRICT_LOTA}
"""By the value of the setting ``rules``; the first is the default."""
