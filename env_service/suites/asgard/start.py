"""How AsgardBench starts AI2-THOR (spec section 8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from env_service.worlds.thor.start import ThorStart

INITIALIZATION: Mapping[str, Any] = {
    "agentMode": "default",
    "visibilityDistance": 5,
    "gridSize": 0.25,
    "snapToGrid": False,
    "rotateStepDegrees": 5,
    "renderDepthImage": False,
    "fieldOfView": 60,
    "makeAgentsVisible": False,
    "renderInstanceSegmentation": True,
}
"""The parameters of Initialize."""

PIXELS = 1024
"""Width and height of the pictures."""


def thor_start(*, pixels: int = PIXELS) -> ThorStart:
    """The start of every episode. Pictures of another size change nothing but themselves."""
    return ThorStart(pixels, pixels, "High", INITIALIZATION)
