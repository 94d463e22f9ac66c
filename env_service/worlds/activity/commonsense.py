"""Commonsense preconditions: how strict they are, and why an action makes no sense where it is
done (docs/actplan.md, Judges).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class ViolationKind(Enum):
    """The classes of violated preconditions; the values go into results and reports."""

    NO_SUCH_THING = "no_such_thing"
    """A name of nothing in the home."""
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


# --- How strict commonsense is


class Near(Enum):
    """When the agent is near a thing."""

    WALKED = "walked"
    """It walked to it, to what it is in or on, or to another thing there."""
    ROOM = "room"
    """It is in the same room."""


@dataclass(frozen=True, slots=True)
class CommonsenseProfile:
    """Which preconditions count, and how. A report gives a commonsense score with its profile's
    name (docs/actplan.md, Judges).

    Attributes:
        hands: how many things can be held at once; None: any number.
        near: when a thing can be reached.
        auto_open: what is closed is opened on the way, and closed again behind; then nothing closed
            is violated.
        wet_tools: a stain wants a wet or soaped tool.
    """

    name: str
    hands: int | None = None
    near: Near = Near.WALKED
    auto_open: bool = False
    wet_tools: bool = True


PROFILES: Mapping[str, CommonsenseProfile] = {
    each.name: each
    for each in (
        CommonsenseProfile("standard"),
        CommonsenseProfile("two-hands", hands=2),
        CommonsenseProfile("one-hand", hands=1),
        CommonsenseProfile("lenient", near=Near.ROOM, auto_open=True, wet_tools=False),
    )
}
"""By name; the first is the default. The paper's annotators' own plans carry several things at once
(docs/actplan-parsing.md), so hands are not counted by default."""
