import random

import pytest

from env_service.suites.babybench.grid_model import GridModel
from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.state import Heading, Snapshot, Thing
from env_service.worlds.babyai.world import BabyAiWorld

WEIGHTS = (2, 2, 8, 3, 2, 3)


@pytest.mark.parametrize(
    "level", ["Small-7Dists", "Medium-50Dists", "PutNextLocal", "Pickup", "Synth", "BossLevel"]
)
def test_actions_do_what_they_do_in_minigrid(level):
    drawn = random.Random(level)
    for seed in (3, 4):
        world = BabyAiWorld(find_any_level(level), seed)
        grid = GridModel(world.snapshot())
        for action in drawn.choices(ACTIONS, WEIGHTS, k=150):
            grid.step(action)
            world.step(action)
            truth = world.snapshot()
            assert (grid.position, grid.heading) == (truth.agent, truth.heading)
            assert (grid.carrying, grid.thing_ahead) == (truth.carrying, truth.at(truth.ahead))


def room(ahead, carrying=None):
    """An agent that looks east at ``ahead``."""
    cells = (None, ahead, None)
    return GridModel(Snapshot(3, 1, cells, (0, 0), Heading.EAST, carrying, 0))


def test_a_box_leaves_what_it_held():
    grid = room(Thing("box", "red", contains=Thing("key", "blue")))
    grid.step("toggle")
    assert grid.thing_ahead == Thing("key", "blue")


@pytest.mark.parametrize(("color", "state"), [("blue", "open"), ("red", "locked")])
def test_a_locked_door_opens_to_its_own_key(color, state):
    grid = room(Thing("door", "blue", "locked"), carrying=Thing("key", color))
    grid.step("toggle")
    assert grid.thing_ahead.state == state
    assert grid.carrying == Thing("key", color)


def test_done_does_nothing():
    grid = room(None)
    grid.step("done")
    assert (grid.position, grid.heading) == ((0, 0), Heading.EAST)
