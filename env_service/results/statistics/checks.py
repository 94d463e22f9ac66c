"""What the functions of this package take, checked once and refused in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Labels = Sequence[str] | Sequence[int] | NDArray[np.generic]


def read_numbers(values: ArrayLike, what: str) -> Floats:
    """A copy of ``values`` as float64 [N], N at least 1.

    Raises ValueError, naming ``what``, where they are no list of finite numbers.
    """
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: not a list of numbers ({error})") from error
    if numbers.ndim != 1:
        raise ValueError(f"{what}: one dimension is needed, not the shape {numbers.shape}")
    if not numbers.size:
        raise ValueError(f"{what}: empty, so there is nothing to estimate from")
    unusable = np.flatnonzero(~np.isfinite(numbers))
    if unusable.size:
        raise ValueError(f"{what}: entry {unusable[0]} is {numbers[unusable[0]]}")
    return numbers


def read_scores(values: ArrayLike, what: str) -> Floats:
    """The same, where each is a success (1), a failure (0) or a fraction between."""
    scores = read_numbers(values, what)
    outside = np.flatnonzero((scores < 0) | (scores > 1))
    if outside.size:
        raise ValueError(f"{what}: entry {outside[0]} is {scores[outside[0]]}, not within 0 … 1")
    return scores


def read_labels(labels: Labels, n: int, what: str) -> Codes:
    """Which of the distinct labels each is, numbered from 0 in sorted order: intp [n].

    Raises ValueError, naming ``what``, where there are not ``n`` of them.
    """
    names = np.asarray(labels)
    if names.shape != (n,):
        raise ValueError(f"{what}: {n} labels are needed, one an entry, not {names.shape}")
    return np.unique(names, return_inverse=True)[1].astype(np.intp, copy=False)


def check_fraction(value: float, what: str) -> None:
    """Raises ValueError unless 0 < value < 1."""
    if not 0 < value < 1:
        raise ValueError(f"{what} {value} is not between 0 and 1")
