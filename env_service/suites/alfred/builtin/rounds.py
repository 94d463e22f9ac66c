"""The order of tasks, rounds of 70 with ten tasks of each type, and the generators that they
are drawn with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice

from env_service.suites.alfred.task import TaskType
from env_service.suites.builtin_sets import Draws

KITCHEN, LIVING_ROOM, BEDROOM, BATHROOM = "kitchen", "living-room", "bedroom", "bathroom"

_PLACES: Mapping[TaskType, Mapping[str, int]] = {
    TaskType.SIMPLE: {KITCHEN: 3, LIVING_ROOM: 2, BEDROOM: 2, BATHROOM: 3},
    TaskType.TWO: {KITCHEN: 3, LIVING_ROOM: 2, BEDROOM: 2, BATHROOM: 3},
    TaskType.LOOK: {LIVING_ROOM: 5, BEDROOM: 5},
    TaskType.CLEAN: {KITCHEN: 7, BATHROOM: 3},
    TaskType.HEAT: {KITCHEN: 10},
    TaskType.COOL: {KITCHEN: 10},
    TaskType.MOVABLE: {KITCHEN: 7, LIVING_ROOM: 1, BEDROOM: 2},
}
"""In how many rooms of each kind a round's ten tasks of a type are played. Over all types near to
valid_seen's shares of the four kinds (docs/alfred.md, "Task")."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One task to be drawn: its round, its type, the kind of room, and the place (from 0) that it
    has among the round's tasks in such rooms."""

    round: int
    type: TaskType
    kind: str
    place: int


def slots(seed: int, length: int) -> tuple[Slot, ...]:
    """The first tasks of a seed. What comes at a place does not depend on the length.

    Every seven tasks in a row, from the first on, are of the seven types, in an order drawn for
    them.
    """
    every = (each for number in count() for each in _round(seed, number))
    return tuple(islice(every, length))


def _round(seed: int, number: int) -> Iterator[Slot]:
    draw = draw_for("order", seed, number)
    kinds: dict[TaskType, list[str]] = {}
    for each, shares in _PLACES.items():
        kinds[each] = [kind for kind, times in shares.items() for _ in range(times)]
        draw.shuffle(kinds[each])
    taken = dict.fromkeys((KITCHEN, LIVING_ROOM, BEDROOM, BATHROOM), 0)
    for turn in range(min(map(len, kinds.values()))):
        for each in draw.sample(list(kinds), len(kinds)):
            kind = kinds[each][turn]
            yield Slot(number, each, kind, taken[kind])
            taken[kind] += 1


# --- The generators that built-in tasks are drawn with

draw_for = Draws("alfred")
"""A generator for a purpose: the same for the same words on every machine."""
