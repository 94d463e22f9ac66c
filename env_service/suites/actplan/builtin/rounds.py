"""Which activity comes when, and in which rooms it is tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from env_service.suites.actplan.builtin.draws import draw_for
from env_service.suites.actplan.builtin.kinds.finding import Kind
from env_service.suites.actplan.builtin.kinds.registry import KINDS

NUMBERS = range(1, 100_000)
"""Numbers of the rooms that activities are set in."""

ROOMS: Mapping[str, int] = {"kitchen": 6, "living-room": 2, "bedroom": 2, "bathroom": 2}
"""Rooms of each kind in a round: two or three activities share one."""

SPARE = 20
"""Rooms of each kind that stand in for those in which an activity cannot be set."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for an activity.

    Attributes:
        kind: the activity.
        home: the kind of room, as it stands in rooms' names.
        place: which of its round's activities in rooms of this kind it is, from 0.
    """

    kind: Kind
    home: str
    seed: int
    round: int
    place: int

    @property
    def name(self) -> str:
        """The activity's name."""
        return self.kind.__name__


def slots(seed: int, count: int) -> Iterator[Slot]:
    """The first places of a seed. In a round every activity comes once."""
    number = 0
    while count > 0:
        for slot in _round(seed, number):
            if count <= 0:
                return
            yield slot
            count -= 1
        number += 1


def rooms_for(slot: Slot) -> Iterator[str]:
    """The room that belongs to a place, then the other ones of its round, the spare ones first."""
    own = ROOMS[slot.home]
    drawn = draw_for("rooms", slot.home, slot.seed, slot.round).sample(NUMBERS, own + SPARE)
    start = slot.place % SPARE
    spare = [*drawn[own + start :], *drawn[own : own + start]]
    for number in (drawn[slot.place % own], *spare):
        yield f"household-{slot.home}-{number}"


def _round(seed: int, number: int) -> Iterator[Slot]:
    places: Counter[str] = Counter()
    all_kinds = [(home, kind) for home, kinds in KINDS.items() for kind in kinds]
    draw_for("round", seed, number).shuffle(all_kinds)
    for home, kind in all_kinds:
        yield Slot(kind, home, seed, number, places[home])
        places[home] += 1
