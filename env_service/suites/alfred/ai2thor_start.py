"""How LoTa-Bench starts AI2-THOR (docs/alfred.md, "Conditions"), in the words of 5.0.0."""

from collections.abc import Mapping
from typing import Any

from env_service.worlds.ai2thor_api.controller import ThorStart

PIXELS = 300
"""Width and height of the pictures."""

QUALITY = "MediumCloseFitShadows"

GRID = 0.25
"""Metres between reachable positions, and of a step."""

VISIBILITY = 1.5
"""Metres, along the floor, within which things can be visible."""

FIELD_OF_VIEW = 60
"""Degrees. LoTa-Bench leaves it to AI2-THOR 2.1.0, of which no text is at hand; 5.0.0 would take
90. ALFRED's trajectories tell it: what is picked up at a known place has its box in the picture
where a focal length of 260 pixels of 300 puts it (median of the picks in valid_seen), which is 60
degrees."""

INITIALIZATION: Mapping[str, Any] = {
    "agentMode": "default",
    "gridSize": GRID,
    "snapToGrid": True,
    "rotateStepDegrees": 90,
    "visibilityDistance": VISIBILITY,
    "fieldOfView": FIELD_OF_VIEW,
    "makeAgentsVisible": False,
}
"""The parameters of Initialize. They spell out the defaults of 2.1.0, as those of 5.0.0 may differ.
LoTa-Bench's camera offset (0.75 m) has no counterpart: 5.0.0's agent has a fixed height."""


def thor_start(*, pixels: int = PIXELS) -> ThorStart:
    """The start of every episode. Pictures of another size change nothing but themselves."""
    return ThorStart(pixels, pixels, QUALITY, INITIALIZATION)
