"""The cheapest matching of rows to columns."""

from __future__ import annotations

from collections.abc import Sequence


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
