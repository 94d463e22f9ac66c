"""How a suite wants its world started: everything that could change a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

QUALITIES = ("Very Low", "Low", "Medium", "MediumCloseFitShadows", "High", "Very High", "Ultra")
"""AI2-THOR 5.0.0's names of render qualities (spec: ai2thor.md section 2, item 2)."""


@dataclass(frozen=True, slots=True)
class ThorStart:
    """The start-up parameters of a controller that belong to a suite.

    ``width`` and ``height`` are pixels of the agent's picture, at least 1. ``quality`` is one of
    QUALITIES. ``initialization`` goes to AI2-THOR's Initialize as it is (gridSize, fieldOfView,
    renderInstanceSegmentation, …). How a simulator is run on a machine is no part of it. Raises
    ValueError for a size or a quality that does not exist.
    """

    width: int = 300
    height: int = 300
    quality: str = "Ultra"
    initialization: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)} pixels; it has to be at least 1")
        if self.quality not in QUALITIES:
            raise ValueError(
                f"there is no quality {self.quality!r}; there are {', '.join(QUALITIES)}"
            )
