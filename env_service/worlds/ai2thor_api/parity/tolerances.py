"""How close two worlds have to come to count as agreeing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from env_service.domain.names import UnknownNameError


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The largest differences that still count as agreement; those that are named "least" are the
    smallest likeness. Two dumps of the real simulator differ in the fourth decimal of positions
    (docs/parity.md, "What is compared"). None is negative.
    """

    position: float = 0.05
    """Metres between two positions."""
    rotation: float = 5.0
    """Degrees of the turn between two orientations."""
    horizon: float = 1.0
    """Degrees of the camera's tilt."""
    openness: float = 0.05
    """Of openness, which runs from 0 to 1."""
    number: float = 0.01
    """Of any other number in what an action returns."""
    least_overlap: float = 0.9
    """Of two lists of places or poses: intersection over union."""
    least_mask: float = 0.5
    """Of an object's two masks: intersection over union."""
    colour: float = 24.0
    """Mean difference of two pictures, of 255."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"tolerance {each.name} is {value}; it has to be at least 0")

    def changed(self, values: Mapping[str, float]) -> Tolerances:
        """With other values, by name.

        Raises:
            UnknownNameError: no tolerance has this name.
            ValueError: a value is negative, or not a number.
        """
        names = [each.name for each in fields(self)]
        for name in values:
            if name not in names:
                raise UnknownNameError("tolerance", name, names)
        return replace(self, **values)

    def to_json(self) -> dict[str, float]:
        """By name."""
        return asdict(self)
