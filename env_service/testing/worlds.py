"""The contract of a world behind AI2-THOR's controller API, as tests for any such world.

Subclass `WorldConformance` under a name that starts with ``Test``, name the world, and pytest does
the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import pytest

from env_service.testing.thor_controller.determinism import DeterminismTests
from env_service.testing.thor_controller.kit import START
from env_service.testing.thor_controller.mistakes import MistakeTests
from env_service.testing.thor_controller.motion import MotionTests
from env_service.testing.thor_controller.objects import ObjectTests
from env_service.testing.thor_controller.pictures import PictureTests
from env_service.testing.thor_controller.reset import ResetTests
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_api.world_registry import load_world, open_world


class WorldConformance(
    ResetTests, MotionTests, ObjectTests, PictureTests, MistakeTests, DeterminismTests
):
    """Set ``world``; also set ``scene`` and ``other_scene`` if the world lacks the built-in rooms.

    ``scene`` must be a kitchen with objects to pick up, open, switch on, fill, break and slice, as
    in AI2-THOR's kitchens. One world is opened for all tests, and reset for each.
    """

    world: str
    """The world's installed name."""

    parameters = START

    @pytest.fixture(scope="class")
    def controller(self) -> Iterator[ThorController]:
        """The world, opened once for all tests."""
        rest = {name: START[name] for name in START if name not in ("width", "height")}
        start = ThorStart(START["width"], START["height"], initialization=rest)
        opened = open_world(self.world, self.scene, start)
        yield opened
        opened.stop()

    @pytest.fixture
    def thor(self, controller: ThorController) -> ThorController:
        """The world, freshly reset."""
        controller.reset(self.scene, **self.parameters)
        return controller

    def test_the_world_says_what_it_is_and_what_hosting_takes(self) -> None:
        world = load_world(self.world)
        facts: Mapping[str, str] = world.describe()
        assert all(isinstance(text, str) for each in facts.items() for text in each)
        assert facts == world.describe(), "describe() must return the same value twice"
        limits = world.hosting_limits(facts, dict(os.environ))
        assert limits is None or min(limits.begin, limits.step, limits.finish) > 0

    def test_it_can_be_opened_at_any_size_and_stopped_twice(self) -> None:
        opened = open_world(self.world, self.scene, ThorStart(64, 48))
        try:
            frame = opened.last_event.frame
            assert frame is not None
            assert frame.shape == (48, 64, 3)
        finally:
            opened.stop()
        opened.stop()

    def test_an_unknown_scene_cannot_be_opened(self) -> None:
        with pytest.raises(ValueError, match="no-such-scene"):
            open_world(self.world, "no-such-scene", ThorStart(64, 48)).stop()
