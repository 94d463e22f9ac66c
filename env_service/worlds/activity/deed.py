"""What an agent does in the world: a verb and the things that it is done to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verb(Enum):
    """What can be done. Other words of plans are folded into these (spec: actplan.md sections 1.3
    and 3.1)."""

    WALK_TO = "walk_to"
    GRAB = "grab"
    PLACE_INSIDE = "place_inside"
    PLACE_ON_TOP = "place_on_top"
    PLACE_NEXT_TO = "place_next_to"
    PLACE_UNDER = "place_under"
    PLACE_ON_FLOOR = "place_on_floor"
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    CLEAN = "clean"
    SOAK = "soak"
    DRY = "dry"
    SLICE = "slice"
    COOK = "cook"
    DEFROST = "defrost"
    POUR = "pour"
    WAIT = "wait"
    OTHER = "other"
    """Is known, and changes nothing that a goal speaks of: fold, iron, tag."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One step on instances.

    Attributes:
        verb: what is done.
        target: the instance it is done to or at; of the placing verbs where the item goes, of
            WALK_TO also a room ("kitchen"). Empty where the verb needs none.
        item: of the placing verbs and POUR what is put there; empty: whatever is held.
        tools: what it is done with, besides what is held.
    """

    verb: Verb
    target: str = ""
    item: str = ""
    tools: tuple[str, ...] = ()
