"""The household world, and AI2-THOR's package with a player of it, do what a controller of AI2-THOR
does. All tests share one controller of each world, as a start takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from env_service.testing.thor_controller.determinism import DeterminismTests
from env_service.testing.thor_controller.kit import SCENE, START
from env_service.testing.thor_controller.mistakes import MistakeTests
from env_service.testing.thor_controller.motion import MotionTests
from env_service.testing.thor_controller.objects import ObjectTests
from env_service.testing.thor_controller.pictures import PictureTests
from env_service.testing.thor_controller.reset import ResetTests
from env_service.worlds.ai2thor_api.controller import ThorController, ThorStart
from env_service.worlds.ai2thor_unity.controller import Ai2ThorController
from env_service.worlds.household.controller import HouseholdController
from tests.support.ai2thor_adapter import STAND_IN, settings
from tests.support.real_thor import own_home, started, stopped
from tests.support.whole import sample


@contextmanager
def household() -> Iterator[ThorController]:
    """The household world, in this process."""
    controller = HouseholdController(scene=SCENE, renderer="soft", **START)
    yield controller
    controller.stop()


@contextmanager
def ai2thor() -> Iterator[ThorController]:
    """AI2-THOR's own package, with the household world as its player in another process.

    The adapter runs the same package and the same player, and `tests/e2e/test_household_player.py`
    starts, plays and breaks the bare package: so it is put through all this on demand only.
    """
    with TemporaryDirectory() as folder:
        with own_home(Path(folder)):
            controller = started(Path(folder), scene=SCENE, server_timeout=60.0, **START)
        try:
            yield controller
        finally:
            stopped(controller)


@contextmanager
def adapter() -> Iterator[ThorController]:
    """Our adapter, which runs AI2-THOR's own package, with the same player."""
    pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")
    initialization = {name: START[name] for name in START if name not in ("width", "height")}
    start = ThorStart(START["width"], START["height"], initialization=initialization)
    with TemporaryDirectory() as folder:
        with own_home(Path(folder)):
            controller = Ai2ThorController(SCENE, start, settings(STAND_IN))
        with controller:
            yield controller


World = Callable[[], AbstractContextManager[ThorController]]
WORLDS: Mapping[str, World] = {
    "household": household,
    "ai2thor": ai2thor,
    "adapter": adapter,
}
CHOSEN = sample(sorted(WORLDS), ["adapter", "household"])
ALONE = sample(CHOSEN, ["household"])
"""For what the household world alone decides: the adapter hands on such actions and their events,
as it does those of the other tests."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "world" in metafunc.fixturenames:
        worlds = ALONE if metafunc.cls is TestMotion else CHOSEN
        metafunc.parametrize("world", worlds, indirect=True, scope="module")


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest) -> Iterator[ThorController]:
    with WORLDS[request.param]() as controller:
        yield controller


@pytest.fixture
def thor(world: ThorController, request: pytest.FixtureRequest) -> ThorController:
    """The world, freshly reset."""
    world.reset(SCENE, **request.cls.parameters)
    return world


class TestDeterminism(DeterminismTests):
    """The same scene and actions give the same events."""


class TestMistakes(MistakeTests):
    """What a caller is told who asks wrongly, and that nothing else happens."""


class TestMotion(MotionTests):
    """The agent's own actions."""


class TestObjects(ObjectTests):
    """Actions on objects, each once from where the object can be reached."""


class TestPictures(PictureTests):
    """Pictures, masks and boxes, and that they tell the same story."""


class TestReset(ResetTests):
    """What a reset gives, and what every event's metadata hold."""
