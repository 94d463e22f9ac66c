"""Why a deed makes no sense where it is done: commonsense preconditions (spec: actplan.md sections
3.1 and 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ViolationKind(Enum):
    """The classes of violated preconditions; the values go into results and reports."""

    NO_SUCH_THING = "no_such_thing"
    """A name that stands for nothing in the house."""
    NOT_NEAR = "not_near"
    HANDS_FULL = "hands_full"
    NOT_HELD = "not_held"
    """Puts, pours or wields what is in no hand."""
    ALREADY_HELD = "already_held"
    NOT_MOVABLE = "not_movable"
    CLOSED = "closed"
    """Reaches into, or puts into, what is closed."""
    NOT_OPENABLE = "not_openable"
    ALREADY_OPEN = "already_open"
    ALREADY_CLOSED = "already_closed"
    NOT_SWITCHABLE = "not_switchable"
    ALREADY_ON = "already_on"
    ALREADY_OFF = "already_off"
    NO_CONTAINER = "no_container"
    """Puts a thing inside what holds nothing, or onto what carries nothing."""
    INTO_ITSELF = "into_itself"
    NO_TOOL = "no_tool"
    """Slices without a knife, cleans without a tool."""
    DRY_TOOL = "dry_tool"
    """Wipes a stain with what is neither wet nor soaped."""
    NO_WATER = "no_water"
    NO_HEAT = "no_heat"
    INCOMPLETE = "incomplete"
    """A step that lacks an argument that its verb needs."""


@dataclass(frozen=True, slots=True)
class Violation:
    """``text`` is for people: what was wrong, with the names of the things."""

    kind: ViolationKind
    text: str
