"""The worlds that every test here is played on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.thor.controller import ThorController
from tests.conformance.thor_controller.kit import SCENE, START


def household() -> ThorController:
    """The household world, in this process."""
    return HouseholdController(scene=SCENE, renderer="soft", **START)


WORLDS: Mapping[str, Callable[[], ThorController]] = {"household": household}


@pytest.fixture(scope="session", params=sorted(WORLDS))
def world(request: pytest.FixtureRequest) -> Iterator[ThorController]:
    """A world that all tests share; started once, since a start may take long."""
    controller = WORLDS[request.param]()
    yield controller
    controller.stop()


@pytest.fixture
def thor(world: ThorController) -> ThorController:
    """The world, freshly reset."""
    world.reset(SCENE, **START)
    return world
