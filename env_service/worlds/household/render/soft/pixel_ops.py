"""The few operations that pixel arithmetic needs besides + - * / and comparisons.

The functions that colour pixels are written once, for arrays ("lanes" side by side) as well as for
single numbers: NumPy runs them on arrays; numba, if installed, compiles them for one pixel at a
time. Both do the same IEEE operations in the same order, so both give the same bytes. Three rules
keep it so: no Python number meets a float32 (numba would continue in float64), hence the named
constants; no branch depends on a pixel's value; and such a function is marked with `shared` and
calls only NumPy's elementary functions, other shared functions, and those of this module.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

F4 = np.float32
Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Three = tuple[Floats, Floats, Floats]

ZERO, HALF, ONE, TWO = F4(0), F4(0.5), F4(1), F4(2)
TINY = F4(1e-12)

Function = TypeVar("Function", bound=Callable[..., Any])

SHARED: list[Callable[..., Any]] = []
"""The functions that `kernels` lets numba compile."""


def shared(function: Function) -> Function:
    """Marks a function that works on arrays and on single numbers."""
    SHARED.append(function)
    return function


def take(table: Floats, index: Longs) -> Floats:
    """Entries of a table. Indices are always within it; "wrap" is NumPy's fastest mode."""
    return table.take(index, mode="wrap")


def take_int(table: Ints, index: Longs) -> Ints:
    """Entries of a table."""
    return table.take(index, mode="wrap")


def take_long(table: Longs, index: Longs) -> Longs:
    """Entries of a table."""
    return table.take(index, mode="wrap")


def to_int(value: Floats) -> Ints:
    """Numbers without fraction as integers."""
    return value.astype(np.int32)


def to_long(value: Floats | Ints) -> Longs:
    """Numbers without fraction as 64-bit integers."""
    return value.astype(np.int64)


def to_float(value: Ints | Longs | NDArray[np.bool_]) -> Floats:
    """Integers as float32; 1 for true."""
    return value.astype(F4)


def bits(value: Floats) -> Ints:
    """The bits of float32 numbers: sign, exponent, fraction."""
    return value.view(np.int32)


@shared
def clamp(value: Floats, low: np.float32, high: np.float32) -> Floats:
    """Numbers brought into [low, high]."""
    return np.minimum(np.maximum(value, low), high)
