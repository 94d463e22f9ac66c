"""What is captured: a scene that the simulator knows by name, or a house that it builds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class HouseSource(Protocol):
    """Where a house's description comes from."""

    def load(self) -> Mapping[str, Any]:
        """The house as AI2-THOR's CreateHouse takes it. Raises ValueError if it is none."""
        ...

    def digest(self) -> str:
        """SHA-256 of its text, hexadecimal."""
        ...


@dataclass(frozen=True)
class Subject:
    """One scene to capture. ``name`` is fit for a file's name; ``house`` is None for a scene that
    the simulator knows by this name."""

    name: str
    house: HouseSource | None = None
