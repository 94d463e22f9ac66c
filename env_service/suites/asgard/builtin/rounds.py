"""The order of tasks: rounds of 108, each in balance from its first task on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import count, islice
from random import Random

from env_service.suites.asgard.builtin.draws import draw_for
from env_service.suites.asgard.builtin.variations import Variation, variations


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
