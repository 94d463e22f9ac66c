"""Which tests take a sample, and when they take all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

VARIABLE = "HOUSEGUEST_ALL"


def everything() -> bool:
    """Whether all is to be tested, at any length: ``HOUSEGUEST_ALL=1``, or `make test-all`."""
    return os.environ.get(VARIABLE) == "1"


def sample(every: Sequence[T], chosen: Sequence[T]) -> Sequence[T]:
    """Those that are chosen, or all with `everything`.

    Raises:
        ValueError: one that is chosen is not among all.
    """
    strangers = [each for each in chosen if each not in every]
    if strangers:
        raise ValueError(f"not among {len(every)}: {strangers}")
    return every if everything() else chosen
