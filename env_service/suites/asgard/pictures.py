"""How large the pictures are: a setting, as a smaller picture may change a score."""

from __future__ import annotations

from env_service.suites.asgard.start import PIXELS, thor_start
from env_service.suites.base import Condition, Setting
from env_service.worlds.thor.start import ThorStart

PICTURE = Setting(
    "picture",
    "Width and height of the pictures, in pixels; the paper's are 1024.",
    (str(PIXELS), "512", "300"),
)


def start_of(condition: Condition) -> ThorStart:
    """The start of an episode under a condition."""
    return thor_start(pixels=int(condition[PICTURE.name]))
