"""Which instance each entity is, by what its names and the plan's bookkeeping say: the cheapest
matching.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from env_service.suites.actplan.grounding.entities import Entity, are_apart
from env_service.suites.actplan.grounding.lexicon import ThingCatalog
from env_service.worlds.activity.observation import number_of

_ROOM, _PLACE, _STATE, _FROM = 3.0, 2.0, 2.0, 1.0
"""What it costs that an instance is not in the room, at the place, in the state that a name says,
or not where it is taken up."""
_SAME_KIND = 0.5
"""What it costs that it is taken up at another place of the same kind."""
_CONTENTS = 1.5
"""What it costs that what is taken out of a fixture is not in it."""
_NUMBER = 0.3
"""What it costs to be another number: annotators' numbers have no relation to the definition's."""
_ORDER = 0.01
"""What it costs to be later in the definition: of equal instances the first come first."""

_AROUND = 0.35
"""What it costs that it is in another room than the agent, when it is first named."""
_SHARED_FIXTURE, _SHARED_THING = 1.0, 4.0
"""What it costs that two names are one fixture's, or one thing's, that bookkeeping took for two."""
_MOST_MATCHED, _MOST_SHARING = 40, 8
"""More names of one kind than this get the likeliest instance each."""

_HOLDS: Mapping[str, tuple[str, bool]] = {
    "soaked": ("soaked", True),
    "dry": ("soaked", False),
    "stained": ("stained", True),
    "dusty": ("dusty", True),
    "sliced": ("sliced", True),
    "whole": ("sliced", False),
    "frozen": ("frozen", True),
    "thawed": ("frozen", False),
    "burnt": ("burnt", True),
    "unburnt": ("burnt", False),
    "cooked": ("cooked", True),
    "uncooked": ("cooked", False),
    "perished": ("perished", True),
    "fresh": ("perished", False),
    "open": ("open", True),
    "closed": ("open", False),
}


def assign(catalog: ThingCatalog, entities: Sequence[Entity]) -> list[str]:
    """The instance of each entity; "" of phantoms, and of those for which no instance is left.

    The likeliest matching of all entities of a category. Two get the same instance only where
    nothing else fits, and never two that have different numbers or origins (`are_apart`).
    """
    found = [""] * len(entities)
    kinds: dict[str, list[int]] = {}
    for number, entity in enumerate(entities):
        if not entity.phantom:
            kinds.setdefault(entity.category, []).append(number)
    for category in sorted(kinds, key=catalog.movable):
        instances, numbers = catalog.instances[category], kinds[category]
        costs = [
            [
                cost_of(catalog, entities[number], instance, found) + _ORDER * place
                for place, instance in enumerate(instances)
            ]
            for number in numbers
        ]
        sharing = _SHARED_THING if catalog.movable(category) else _SHARED_FIXTURE
        same = [entities[each] for each in numbers]
        fits = [[not misfit(catalog, entity, each) for each in instances] for entity in same]
        columns = _kept_apart(same, costs, fits, _matched(costs, sharing))
        for number, column in zip(numbers, columns, strict=True):
            found[number] = "" if column is None else instances[column]
    return found


def _kept_apart(
    entities: Sequence[Entity], costs: list[list[float]], fits: list[list[bool]], columns: list[int]
) -> list[int | None]:
    """The columns, so that no two entities that are apart have the same: the one that fits it best
    keeps it, and each other one gets the best of those that are left and fit it, or None."""
    kept: dict[int, list[Entity]] = {}
    final: list[int | None] = [None] * len(columns)
    rows = sorted(range(len(columns)), key=lambda row: costs[row][columns[row]])
    for row in rows:
        if not _any_apart(entities[row], kept.get(columns[row], ())):
            kept.setdefault(columns[row], []).append(entities[row])
            final[row] = columns[row]
    for row in (each for each in rows if final[each] is None):
        for column in sorted(range(len(costs[row])), key=costs[row].__getitem__):
            if fits[row][column] and not _any_apart(entities[row], kept.get(column, ())):
                kept.setdefault(column, []).append(entities[row])
                final[row] = column
                break
    return final


def _any_apart(entity: Entity, others: Iterable[Entity]) -> bool:
    return any(are_apart(entity, each) for each in others)


def _matched(costs: list[list[float]], sharing: float) -> list[int]:
    """The column of each row: different ones, unless that costs more than ``sharing``."""
    columns = len(costs[0])
    if columns == 1:
        return [0] * len(costs)
    rows = costs[:_MOST_MATCHED]
    least = [min(range(columns), key=row.__getitem__) for row in costs]
    if len(set(least)) == len(least):
        return least
    copies = min(len(rows), max(_MOST_SHARING, -(-len(rows) // columns)))
    wide = [[cost + sharing * (copy > 0) for copy in range(copies) for cost in row] for row in rows]
    return [each % columns for each in cheapest(wide)] + least[len(rows) :]


def cost_of(catalog: ThingCatalog, entity: Entity, instance: str, found: Sequence[str]) -> float:
    """How little an instance looks like an entity, as far as other entities are ``found``."""
    cost = misfit(catalog, entity, instance)
    if entity.index and entity.index != number_of(instance):
        cost += _NUMBER
    room = catalog.rooms.get(instance, "")
    if room and entity.around and room != entity.around and not entity.rooms:
        cost += _AROUND
    contents = catalog.contents.get(instance, frozenset())
    if entity.taken and not catalog.movable(entity.category):
        cost += _CONTENTS * len(entity.taken - contents) / len(entity.taken)
    if entity.from_place is not None:
        cost += _from_cost(catalog, instance, entity.from_place, found)
    return cost


def misfit(catalog: ThingCatalog, entity: Entity, instance: str) -> float:
    """How much of what an entity's names say, but for the number, is false of an instance; 0: all
    of it is true, as far as the definition says."""
    cost = 0.0
    room = catalog.rooms.get(instance, "")
    if room and entity.rooms and room not in entity.rooms:
        cost += _ROOM
    if entity.places:
        around = [catalog.problem.objects.get(each) for each in catalog.around(instance)]
        cost += _PLACE * (bool(around) and not entity.places.intersection(around))
    contents = catalog.contents.get(instance, frozenset())
    cost += _PLACE * len(entity.holding - contents)
    return cost + _STATE * _differing(catalog.states.get(instance, frozenset()), entity.states)


def _from_cost(
    catalog: ThingCatalog, instance: str, place: int | str, found: Sequence[str]
) -> float:
    if isinstance(place, str):
        return _FROM if place and catalog.rooms.get(instance, place) != place else 0.0
    there = found[place]
    if not there or there == instance:
        return 0.0
    around = list(catalog.around(instance))
    if there in around or not around:
        return 0.0
    kind = catalog.problem.objects.get(there)
    if any(catalog.problem.objects.get(each) == kind for each in around):
        return _SAME_KIND
    near = catalog.rooms.get(there) == catalog.rooms.get(instance)
    return _FROM if catalog.movable(str(kind)) or not near else _FROM * 0.9


def _differing(facts: frozenset[str], states: set[str]) -> int:
    wrong = 0
    for state in states:
        if state in _HOLDS:
            predicate, holds = _HOLDS[state]
            wrong += (predicate in facts) != holds
        elif state == "dirty":
            wrong += not facts & {"stained", "dusty"}
        elif state == "clean":
            wrong += bool(facts & {"stained", "dusty"})
    return wrong


# --- The cheapest matching of rows to columns


def cheapest(costs: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row, all different, whose costs have the smallest sum.

    The Hungarian method with potentials, O(rows² · columns).

    Args:
        costs: at least as many columns as rows; all rows of the same length.

    Raises:
        ValueError: there are fewer columns than rows.
    """
    rows, columns = len(costs), len(costs[0]) if costs else 0
    if columns < rows:
        raise ValueError(f"{rows} rows have no different columns out of {columns}")
    row_price, column_price = [0.0] * (rows + 1), [0.0] * (columns + 1)
    matched = [0] * (columns + 1)
    for row in range(1, rows + 1):
        matched[0] = row
        column, came_from = _free_column(costs, matched, row_price, column_price)
        while column:
            matched[column] = matched[came_from[column]]
            column = came_from[column]
    found = [0] * rows
    for column in range(1, columns + 1):
        if matched[column]:
            found[matched[column] - 1] = column - 1
    return found


def _free_column(
    costs: Sequence[Sequence[float]],
    matched: list[int],
    row_price: list[float],
    column_price: list[float],
) -> tuple[int, list[int]]:
    """The free column at the end of the cheapest way from the row that ``matched[0]`` names, and
    of each column the one before it on the way. Prices are kept so that no cost is below them."""
    size = len(matched)
    infinity = float("inf")
    least, used, came_from = [infinity] * size, [False] * size, [0] * size
    column = 0
    while matched[column]:
        used[column] = True
        here, step, following = matched[column], infinity, 0
        for each in range(1, size):
            if used[each]:
                continue
            reduced = costs[here - 1][each - 1] - row_price[here] - column_price[each]
            if reduced < least[each]:
                least[each], came_from[each] = reduced, column
            if least[each] < step:
                step, following = least[each], each
        for each in range(size):
            if used[each]:
                row_price[matched[each]] += step
                column_price[each] -= step
            else:
                least[each] -= step
        column = following
    return column, came_from
