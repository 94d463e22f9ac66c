import pytest

from env_service.worlds.babyai.levels import PLAN_LEVELS
from env_service.worlds.babyai.shortest_path import optimal_steps, red_ball, shortest_actions
from env_service.worlds.babyai.state import Heading, Snapshot, Thing
from env_service.worlds.babyai.world import BabyAiWorld

WALL = Thing("wall", "grey")
KINDS = {"#": WALL, ".": None, ">": None, "o": Thing("ball", "red"), "k": Thing("key", "grey")}


def drawn(*rows):
    text = "".join(rows)
    y, x = divmod(text.index(">"), len(rows[0]))
    cells = tuple(KINDS[char] for char in text)
    return Snapshot(len(rows[0]), len(rows), cells, (x, y), Heading.EAST, None, 0)


def test_turns_count_as_much_as_steps():
    room = drawn("#####", "#>..#", "#..o#", "#####")
    assert shortest_actions(room, red_ball(room)) == ("forward", "forward", "right")
    assert optimal_steps(room) == 3


def test_a_target_ahead_takes_nothing():
    room = drawn("####", "#>o#", "####")
    assert shortest_actions(room, (2, 1)) == ()


def test_things_are_walked_round_and_never_moved():
    room = drawn("######", "#>ko.#", "#....#", "######")
    assert optimal_steps(room) == 6
    walled = drawn("#####", "#>ko#", "#####")
    assert shortest_actions(walled, (3, 1)) is None
    with pytest.raises(LookupError, match="no way leads to the red ball"):
        optimal_steps(walled)
    with pytest.raises(LookupError, match="no red ball"):
        optimal_steps(drawn("####", "#>.#", "####"))


def test_the_shortest_actions_solve_a_plan_environment_and_can_beat_the_expert():
    level = PLAN_LEVELS["Large-60Dists"]
    world = BabyAiWorld(level, 22)
    start = world.snapshot()
    actions = shortest_actions(start, red_ball(start))
    effects = [world.step(action) for action in actions]
    assert effects[-1].solved
    assert not any(effect.over for effect in effects[:-1])
    assert len(actions) == optimal_steps(start) == 31  # the expert takes 35
