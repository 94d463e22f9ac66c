"""How strict commonsense is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Near(Enum):
    """When the agent is near a thing."""

    WALKED = "walked"
    """It walked to it, to what it lies in or on, or to what lies there too."""
    ROOM = "room"
    """It is in the same room."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Which preconditions count, and how. A commonsense score is told with its profile's name
    (spec: actplan.md section 3.5).

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


PROFILES: Mapping[str, Profile] = {
    each.name: each
    for each in (
        Profile("standard"),
        Profile("two-hands", hands=2),
        Profile("one-hand", hands=1),
        Profile("lenient", near=Near.ROOM, auto_open=True, wet_tools=False),
    )
}
"""By name; the first is the default. The paper's annotators' own plans carry several things at once
(spec section 1.3), so hands are not counted by default."""
