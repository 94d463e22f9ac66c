"""The longest common subsequence of two plans."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.suites.actplan.lcs.scorer import Alignment, align


def by_table(equal: NDArray[np.bool_]) -> int:
    """The length by the textbook's table."""
    rows, columns = equal.shape
    table = np.zeros((rows + 1, columns + 1), dtype=int)
    for row in range(rows):
        for column in range(columns):
            table[row + 1, column + 1] = (
                table[row, column] + 1
                if equal[row, column]
                else max(table[row, column + 1], table[row + 1, column])
            )
    return int(table[-1, -1])


@pytest.mark.parametrize("density", [0.02, 0.2, 0.6, 1.0])
def test_any_relation_gives_the_tables_length(density: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        equal = rng.random(rng.integers(1, 90, size=2)) < density
        assert align(equal).length == by_table(equal)


def test_the_length_is_divided_by_the_longer_plans() -> None:
    assert align(np.eye(3, 4, dtype=bool)) == Alignment(3, 0.75)
    assert align(np.eye(4, 3, dtype=bool)) == Alignment(3, 0.75)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_an_empty_plan_has_nothing_in_common(shape: tuple[int, int]) -> None:
    assert align(np.zeros(shape, dtype=bool)) == Alignment(0, 0.0)
