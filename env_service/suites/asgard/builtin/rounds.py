"""The order of built-in tasks: rounds of 108 variations, each in balance from its first task
on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from random import Random

from env_service.suites.asgard.plan import Family
from env_service.suites.builtin_sets import Draws


def in_order(seed: int) -> Iterator[tuple[int, tuple[Variation, ...]]]:
    """The rounds of a seed, numbered from 0, without end. Each has every variation as often as
    `variations` has it.

    Inside a round each family, and each kind inside a family, is spread evenly: any first n tasks
    have of each family what its share of n tasks is, give or take one or two.
    """
    for number in count():
        yield number, _round(draw_for("order", seed, number))


def first(seed: int, length: int) -> Iterator[tuple[int, Variation]]:
    """The first tasks of a seed with the number of their round. What comes at a place does not
    depend on the length."""
    every = ((number, each) for number, order in in_order(seed) for each in order)
    return islice(every, length)


def _round(draw: Random) -> tuple[Variation, ...]:
    families = _grouped((each.family, each) for each in variations())
    return tuple(_spread([_family(members, draw) for members in families], draw))


def _family(members: Sequence[Variation], draw: Random) -> list[Variation]:
    """The tasks of one family, its kinds spread."""
    kinds = _grouped((each.kind, each) for each in members)
    for listed in kinds:
        draw.shuffle(listed)
    return _spread(kinds, draw)


def _spread(groups: Sequence[list[Variation]], draw: Random) -> list[Variation]:
    """All of the groups' members, those of a group in their order and at equal distances: the k-th
    of n comes somewhere in the k-th of n equal stretches, the same place in each stretch."""
    placed: list[tuple[float, int, Variation]] = []
    for number, members in enumerate(groups):
        start = draw.random()
        placed += [((k + start) / len(members), number, each) for k, each in enumerate(members)]
    return [each for _, _, each in sorted(placed, key=lambda item: item[:2])]


def _grouped(pairs: Iterable[tuple[Hashable, Variation]]) -> list[list[Variation]]:
    found: dict[Hashable, list[Variation]] = defaultdict(list)
    for key, each in pairs:
        found[key].append(each)
    return list(found.values())


# --- The 108 variations of one round of tasks: the official set's, type by type (docs/asgard.md,
# "Task")


@dataclass(frozen=True, slots=True)
class Variation:
    """What kind of task it is, but for the room.

    Attributes:
        family: its type.
        dirty: types that are dirty at the start.
        mug: what is said of the mug where that matters: "empty", "has_coffee", else "".
        food: what is sliced and distributed; "" in other families.
        dishes: what it is distributed to, in order.
        away: how many types are to be put away; 0 in other families.
    """

    family: Family
    dirty: tuple[str, ...] = ()
    mug: str = ""
    food: str = ""
    dishes: tuple[str, ...] = ()
    away: int = 0

    @property
    def kind(self) -> tuple[str, ...]:
        """By what a round is kept in balance inside the family: what the task's name says of it,
        of a distribution only the food."""
        return (self.food,) if self.food else (self.mug, *self.dirty)


_COPIES = 3
"""How often each combination of conditions occurs, distributions excepted."""

_MUGS = (("", ("Mug",)), ("empty", ()), ("has_coffee", ()))
"""What is said of the mug, and what is dirty."""

_COOKING: tuple[tuple[Family, tuple[tuple[str, ...], ...]], ...] = (
    (Family.MICROWAVE_POTATO, ((), ("Bowl",))),
    (Family.COOK_EGG, ((), ("Pan",), ("Plate",), ("Pan", "Plate"))),
    (Family.MAKE_TOAST, ((), ("Plate",))),
    (Family.FRY_POTATO_SLICE, ((), ("Pan",), ("Plate",), ("Pan", "Plate"))),
)
"""What is dirty."""

_PUTTING_AWAY: tuple[tuple[Family, str, tuple[int, ...]], ...] = (
    (Family.PUT_AWAY_FOOD, "", (3, 2, 2)),
    (Family.PUT_AWAY_SILVERWARE, "", (2, 4, 3)),
    (Family.PUT_AWAY_DISHES, "", (2, 4, 2)),
    (Family.PUT_AWAY_DISHES, "Bowl", (2, 4, 2)),
    (Family.PUT_AWAY_DISHES, "Cup", (3, 3, 4)),
    (Family.PUT_AWAY_DISHES, "Mug", (4, 3, 2)),
    (Family.PUT_AWAY_DISHES, "Plate", (2, 4, 2)),
)
"""What is dirty, and of how many types the things are, task by task."""

_SERVINGS = {
    "Apple": (
        "Bowl(d) Pot, Bowl, Plate(d) Pot, Plate(d) Pot, Plate Bowl, Plate Bowl, Plate, Plate Pot,"
        " Plate Pot"
    ),
    "Lettuce": (
        "Plate(d) Pan, Plate(d) Pan Pot, Plate(d) Pot, Plate Bowl, Plate Pan, Plate Pan Pot,"
        " Plate Pot, Pot(d), Pot"
    ),
    "Tomato": (
        "Bowl(d), Bowl(d), Bowl Pot, Plate(d) Bowl, Plate(d) Bowl Pot, Plate Bowl(d), Plate,"
        " Plate Pot, Pot"
    ),
}
"""The dishes of each task, (d) after what is dirty."""


@cache
def variations() -> tuple[Variation, ...]:
    """All 108, by type; equal ones stand there as often as they occur in a round."""
    return (
        *_with_mug(Family.COFFEE),
        *_cooking(),
        *_putting_away(),
        *_distributing(),
        *_with_mug(Family.SET_TABLE),
        *(Variation(Family.CLEAN_MIRROR, dirty=("Mirror",)) for _ in range(_COPIES)),
        *(Variation(Family.TURN_ON_TV) for _ in range(_COPIES)),
    )


def _with_mug(family: Family) -> list[Variation]:
    return [Variation(family, mug=mug, dirty=dirty) for mug, dirty in _MUGS for _ in range(_COPIES)]


def _cooking() -> list[Variation]:
    return [
        Variation(family, dirty=dirty)
        for family, conditions in _COOKING
        for dirty in conditions
        for _ in range(_COPIES)
    ]


def _putting_away() -> list[Variation]:
    return [
        Variation(family, dirty=(dirty,) if dirty else (), away=away)
        for family, dirty, sizes in _PUTTING_AWAY
        for away in sizes
    ]


def _distributing() -> list[Variation]:
    return [
        _serving(food, words.split())
        for food, listed in _SERVINGS.items()
        for words in listed.split(", ")
    ]


def _serving(food: str, words: list[str]) -> Variation:
    return Variation(
        Family.SLICE_AND_DISTRIBUTE,
        food=food,
        dishes=tuple(word.removesuffix("(d)") for word in words),
        dirty=tuple(word.removesuffix("(d)") for word in words if word.endswith("(d)")),
    )


# --- The generators that built-in tasks are drawn with

draw_for = Draws("asgard")
"""A generator for a purpose: the same for the same words on every machine."""
