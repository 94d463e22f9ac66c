"""The cheapest matching is found."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from env_service.suites.actplan.grounding.assignment import cheapest


def test_no_other_matching_is_cheaper() -> None:
    generator = random.Random(7)
    for rows in range(1, 5):
        for columns in range(rows, 6):
            costs = [[generator.randrange(9) for _ in range(columns)] for _ in range(rows)]
            found = cheapest(costs)
            assert len(set(found)) == rows
            least = min(
                sum(costs[row][column] for row, column in enumerate(columns_of))
                for columns_of in permutations(range(columns), rows)
            )
            assert sum(costs[row][column] for row, column in enumerate(found)) == least


def test_nothing_matches_nothing() -> None:
    assert cheapest([]) == []


def test_too_few_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="2 rows"):
        cheapest([[1.0], [2.0]])
