"""For every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from env_service.worlds.household.scene.standard import FLOOR_PLANS

# A shell that runs the tests in the background has them, and all that they start, ignore
# Ctrl-C; some of them are about what Ctrl-C does.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A change is not to fail by examples that were drawn on its day: those are for a developer to find.
# How long an example takes is the machine's affair.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", settings.get_profile("here"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Who has set AI2-THOR up in this shell tests the house all the same.
_SET_UP = ("HOUSEGUEST_THOR_", "HOUSEGUEST_PLAYER_", FLOOR_PLANS)
for _name in [name for name in os.environ if name.startswith(_SET_UP)]:
    del os.environ[_name]
# Whatever servers tests ask are on this machine.
for _name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[_name]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """What collecting makes lives as long as the process: the garbage collector never looks at it
    again, neither by itself nor where a test calls it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(autouse=True)
def _floor_plans_are_shared_for_one_test_alone() -> Iterator[None]:
    """An episode tells its process where they are, which is a worker's otherwise."""
    before = os.environ.get(FLOOR_PLANS)
    yield
    if before is None:
        os.environ.pop(FLOOR_PLANS, None)
    else:
        os.environ[FLOOR_PLANS] = before
