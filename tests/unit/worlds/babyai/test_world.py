import random

import pytest

from env_service.worlds.babyai.actions import ACTIONS, Obstacle
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.solver import solve_episode
from env_service.worlds.babyai.state import Thing
from env_service.worlds.babyai.world import BabyAiWorld
from tests.unit.worlds.babyai.walker import find, route


def open_level(name, seed):
    return BabyAiWorld(LEVELS[name], seed)


def play(world, *actions):
    """Plays the actions and returns the last one's effect."""
    effects = [world.step(action) for action in actions]
    return effects[-1]


def face(world, words):
    for action in route(world.snapshot(), find(world.snapshot(), words)):
        world.step(action)


@pytest.mark.parametrize("level", LEVELS.values(), ids=lambda level: level.name)
def test_a_level_is_as_large_as_its_table_says_and_has_a_mission(level):
    world = BabyAiWorld(level, 2)
    assert (world.snapshot().width, world.snapshot().height) == (level.grid_size,) * 2
    assert world.mission
    assert world.max_steps >= 64
    assert [goal.done for goal in world.subgoals()].count(True) == 0


def test_an_action_is_refused_exactly_when_it_changes_nothing():
    rng = random.Random(5)
    refused = 0
    for name in ("PutNextLocal", "Open", "BossLevel"):
        world = open_level(name, 3)
        for _ in range(400):
            before = world.snapshot()
            effect = world.step(rng.choice(ACTIONS))
            after = world.snapshot()
            same = (before.cells, before.agent, before.heading, before.carrying) == (
                after.cells,
                after.agent,
                after.heading,
                after.carrying,
            )
            assert same == (effect.refusal is not None)
            assert after.steps == before.steps + 1
            refused += same
            if effect.over:
                break
    assert refused > 50


def test_a_thing_is_picked_up_carried_and_dropped():
    world = open_level("PickupLoc", 2)
    face(world, "grey key")
    place = world.snapshot().ahead
    assert play(world, "pickup").refusal is None
    assert world.snapshot().carrying == Thing("key", "grey")
    assert world.snapshot().at(place) is None
    assert play(world, "pickup").refusal.obstacle is Obstacle.NOTHING_PORTABLE
    assert play(world, "drop").refusal is None
    assert world.snapshot().at(place) == Thing("key", "grey")


def test_a_box_that_is_toggled_is_gone():
    world = open_level("PickupLoc", 2)
    face(world, "red box")
    place = world.snapshot().ahead
    assert play(world, "toggle").refusal is None
    assert world.snapshot().at(place) is None


def test_the_digest_changes_when_a_door_opens():
    worlds = [open_level("Open", 2), open_level("Open", 2)]
    for world in worlds:
        face(world, "green door closed")
    assert worlds[0].digest() == worlds[1].digest()
    worlds[0].step("toggle")
    worlds[1].step("pickup")  # refused: both have made equally many steps
    assert worlds[0].digest() != worlds[1].digest()


def test_the_digest_counts_steps_and_what_boxes_hold():
    world = open_level("Open", 2)
    before = world.digest()
    world.step("pickup")
    assert world.digest() != before
    empty, full = Thing("box", "red"), Thing("box", "red", contains=Thing("key", "blue"))
    assert empty.code != full.code


def test_a_locked_door_stays_shut_without_its_key_and_opens_with_it():
    world = open_level("BossLevel", 27)
    for action in solve_episode(LEVELS["BossLevel"], 27).actions:
        ahead = world.snapshot().at(world.snapshot().ahead)
        if action == "toggle" and ahead is not None and ahead.state == "locked":
            break
        world.step(action)
    key = world.snapshot().carrying
    assert key == Thing("key", ahead.color)
    assert play(world, "toggle").refusal is None
    assert world.snapshot().at(world.snapshot().ahead) == Thing("door", ahead.color, "open")
    assert world.snapshot().carrying == key

    without = open_level("SynthLoc", 39)
    face(without, "locked door")
    assert play(without, "toggle").refusal.obstacle is Obstacle.LOCKED


def test_a_world_does_not_depend_on_the_worlds_made_before_it():
    # In some levels minigrid carries what one reset drew over to the next.
    fresh = open_level("SynthLoc", 3)
    for seed in range(1, 6):
        open_level("SynthLoc", seed)
    again = open_level("SynthLoc", 3)
    assert (again.mission, again.digest()) == (fresh.mission, fresh.digest())


def test_a_view_hides_what_is_behind_walls_and_behind_the_agent():
    world = open_level("GoToLocal", 2)  # the agent stands at a wall and looks at it
    assert not any(thing for thing in world.view().cells if thing and thing.kind != "wall")
    play(world, "right", "right")
    kinds = {thing.kind for thing in world.view().cells if thing}
    assert kinds >= {"key", "box", "ball"}


def test_a_view_does_not_show_the_carried_thing_as_lying_there():
    world = open_level("PickupLoc", 2)
    face(world, "grey key")
    play(world, "pickup")
    view = world.view()
    assert view.carrying == Thing("key", "grey")
    own = view.size * view.size - 1 - view.size // 2
    assert view.cells[own] is None


def test_an_unknown_action_is_an_error_that_names_the_known():
    with pytest.raises(ValueError, match="'done' is not an action of this world: left, right"):
        open_level("GoToObj", 1).step("done")
