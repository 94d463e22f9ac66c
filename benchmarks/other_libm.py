"""Plays another C library: functions that IEEE 754 does not fix give a neighbouring number now and
then, as they do from one library to the next."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

MATH = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "hypot")
NUMPY = (
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "exp", "log", "power", "hypot"
)  # fmt: skip
"""Functions that IEEE 754 does not fix."""


def nudge() -> None:
    """Makes functions that C libraries differ in give a neighbouring number now and then."""
    generator = random.Random(7)

    def scalar(function: Callable[..., float]) -> Callable[..., float]:
        def nudged(*values: float) -> float:
            found = function(*values)
            exact = found in (0.0, 1.0, -1.0) or generator.random() < 0.5
            return (
                found if exact else math.nextafter(found, generator.choice((-math.inf, math.inf)))
            )

        return nudged

    def wide(function: Callable[..., Any]) -> Callable[..., Any]:
        def nudged(*values: Any, **options: Any) -> Any:
            found = np.asarray(function(*values, **options))
            if found.dtype.kind != "f":
                return found[()]
            seed = generator.getrandbits(32)
            side = np.random.default_rng(seed).integers(-1, 2, found.shape).astype(found.dtype)
            inexact = (side != 0) & (found != 0) & (np.abs(found) != 1)
            return np.where(
                inexact, np.nextafter(found, np.where(side > 0, np.inf, -np.inf)), found
            )[()]

        return nudged

    for name in MATH:
        setattr(math, name, scalar(getattr(math, name)))
    for name in NUMPY:
        setattr(np, name, wide(getattr(np, name)))
