"""How AsgardBench starts AI2-THOR, and how large the pictures are: a setting, as a smaller
picture may change a score.
"""

from collections.abc import Mapping
from typing import Any

from env_service.suites.base import Condition, Setting
from env_service.worlds.ai2thor_api.controller import ThorStart

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


# --- How large the pictures are: a setting, as a smaller picture may change a score

PICTURE = Setting(
    "picture",
    "Width and height of the pictures, in pixels; the paper's are 1024.",
    (str(PIXELS), "512", "300"),
)


def start_for(condition: Condition) -> ThorStart:
    """The start of an episode under a condition."""
    return thor_start(pixels=int(condition[PICTURE.name]))
