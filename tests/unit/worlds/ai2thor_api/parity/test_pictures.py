"""Two pictures side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.parity.comparison import compare_pictures
from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions, Script, Side, play_script
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances
from env_service.worlds.household.controller import HouseholdController
from tests.support.doctored_thor import LIBRARY, SCENE, DoctoredEvent


@dataclass
class Picture:
    """As much of an event as pictures need."""

    frame: NDArray[np.uint8] | None
    instance_masks: dict[str, NDArray[np.bool_]] = field(default_factory=dict)


def picture(level: int = 0, **masks: list[int]) -> Any:
    found = {name: np.array(mask, dtype=bool) for name, mask in masks.items()}
    return Picture(np.full((2, 2, 3), level, np.uint8), found)


def test_masks_are_compared_by_their_overlap_and_pictures_by_their_colours() -> None:
    left = picture(10, Mug=[1, 1, 1, 0], Cup=[1, 0, 0, 0])
    right = picture(40, Mug=[0, 1, 1, 1], Pan=[1, 0, 0, 0])
    found = compare_pictures(left, right)
    assert found.overlaps == {"Mug": 0.5, "Cup": 0.0, "Pan": 0.0}
    assert found.colour == pytest.approx(30.0)
    assert found.different(Tolerances()) == {"Cup": 0.0, "Pan": 0.0}


def test_pictures_that_are_missing_or_of_another_size_have_no_difference_of_colours() -> None:
    assert compare_pictures(picture(), Picture(None)).colour is None  # type: ignore[arg-type]
    wide: Any = Picture(np.zeros((2, 3, 3), np.uint8))
    assert compare_pictures(picture(), wide).colour is None


def test_a_script_compares_them_where_that_is_asked_for() -> None:
    def soft(scene: str, start: ThorStart) -> HouseholdController:
        size = {"width": start.width, "height": start.height}
        return HouseholdController(
            scene, library=LIBRARY, renderer="soft", **size, **start.initialization
        )

    class Darker:
        """Draws other colours."""

        def __init__(self, controller: HouseholdController) -> None:
            self._controller = controller

        def __getattr__(self, name: str) -> Any:
            return getattr(self._controller, name)

        @property
        def last_event(self) -> Any:
            event = self._controller.last_event
            return DoctoredEvent(event, dict(event.metadata))

    start = ThorStart(32, 24, "Low", {"renderInstanceSegmentation": True})
    script = Script("one", SCENE, start, ({"action": "RotateRight"},))
    options = PlayOptions(Tolerances(colour=5.0), settle=0, pictures=True)
    left, right = Side("left", soft), Side("right", lambda *given: Darker(soft(*given)))  # type: ignore[arg-type,return-value]
    same = play_script(script, left, left, options).tallies["pictures"]["all"]
    assert same["colour"] == [2, 2]
    assert same["masks"][0] == same["masks"][1] > 0
    dark = play_script(script, left, right, options).tallies["pictures"]["all"]
    assert dark["masks"] == same["masks"]
    assert dark["colour"] == [0, 2]
