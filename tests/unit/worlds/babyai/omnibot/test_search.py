from tests.unit.worlds.babyai.omnibot.grids import draw


def test_of_two_equal_ways_the_one_straight_ahead_is_found():
    room = draw("#####", "#@..#", "#...#", "#...#", "#####")
    assert room.way((3, 3), heading=0) == [(2, 1), (3, 1), (3, 2), (3, 3)]
    assert room.way((3, 3), heading=1) == [(1, 2), (1, 3), (2, 3), (3, 3)]


def test_a_long_way_around_comes_before_a_short_way_through_a_thing():
    room = draw("#####", "#@o.#", "#...#", "#####")
    way = room.way((3, 1))
    assert way == [(1, 2), (2, 2), (3, 2), (3, 1)]
    search = room.search()
    assert not search.is_blocked(search.way_to(room.floor.number((3, 1))))


def test_where_no_way_leads_around_one_leads_through():
    room = draw("#####", "#@o.#", "#####")
    assert room.way((3, 1)) == [(2, 1), (3, 1)]
    search = room.search()
    assert search.is_blocked(search.way_to(room.floor.number((3, 1))))
    assert not search.is_blocked(search.way_to(room.floor.number((2, 1))))


def test_a_closed_door_is_in_the_way_and_a_locked_one_is_not():
    doors = draw("#######", "#@.D..#", "#.#####", "#..L..#", "#####.#", "#.....#", "#######")
    search = doors.search()
    assert search.is_blocked(search.way_to(doors.floor.number((4, 1))))
    assert not search.is_blocked(search.way_to(doors.floor.number((1, 5))))


def test_a_key_is_not_looked_for_behind_the_doors_that_it_opens():
    room = draw("#####", "#@L.#", "#####")
    locked = room.floor.locked_doors("blue")
    assert room.search().way_to(room.floor.number((3, 1))) is not None
    search = room.search(impassable=locked)
    assert search.way_to(room.floor.number((3, 1))) is None
    assert search.way_to(room.floor.number((2, 1))) is not None
    assert room.floor.locked_doors("red") == frozenset()


def test_a_wall_can_be_gone_next_to_but_its_corner_and_the_outside_cannot():
    room = draw("####", "#@.#", "####")
    assert room.way((3, 1)) == [(2, 1), (3, 1)]
    assert room.way((0, 0)) is None
    assert room.way((9, 1)) is None
    assert room.way((-1, 1)) is None


def test_the_first_cell_found_depends_on_what_is_in_the_way():
    room = draw("######", "#@o..#", "######")
    search = room.search()

    def is_east(position):
        return position[0] >= 3

    assert search.first(is_east, around=True) is None
    assert search.first(is_east, around=False) == (3, 1)


def test_asking_in_another_order_does_not_change_a_way():
    rows = ("#######", "#@.o..#", "#..D..#", "#..#..#", "#...o.#", "#######")
    targets = [(x, y) for y in range(6) for x in range(7)]
    alone = [draw(*rows).way(target) for target in targets]
    room = draw(*rows)
    search = room.search()
    for order in (targets, targets[::-1]):
        for target in order:
            found = search.way_to(room.floor.number(target))
            way = None if found is None else [room.floor.position(cell) for cell in found]
            assert way == alone[targets.index(target)]
