from env_service.worlds.babyai.omnibot.bot import find_drop_position
from tests.unit.worlds.babyai.omnibot.grids import draw


def drop(room, reserved=None):
    return find_drop_position(room.floor, room.search(), room.agent, reserved)


def test_a_thing_is_put_where_it_cuts_nothing_off():
    # East of the agent is the only way into the second half.
    room = draw("#######", "#..#..#", "#.@...#", "#..#..#", "#######")
    assert drop(room) not in {(2, 2), (3, 2), (4, 2)}


def test_any_free_cell_does_when_all_cut_something_off():
    assert drop(draw("#####", "#@..#", "#####")) == (3, 1)
    assert drop(draw("######", "#@.o.#", "######")) == (2, 1)


def test_a_reserved_cell_is_left_free():
    corridor = draw("#####", "#@..#", "#####")
    assert drop(corridor, reserved=(3, 1)) == (2, 1)


def test_a_cell_behind_things_is_better_than_none():
    assert drop(draw("#####", "#@o.#", "#####")) == (3, 1)
    assert drop(draw("####", "#@o#", "####")) is None
