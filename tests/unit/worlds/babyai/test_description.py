from env_service.worlds.babyai.description import (
    describe_grid,
    describe_view,
    name_content,
    name_thing,
)
from env_service.worlds.babyai.state import Heading, Snapshot, Thing, View

WALL = Thing("wall", "grey")
BALL = Thing("ball", "grey")
KEY = Thing("key", "green")
DOOR = Thing("door", "red", "open")
LOCKED = Thing("door", "blue", "locked")

#  ##  rO  ##
#  eB  @^  bL
GRID = Snapshot(3, 2, (WALL, DOOR, WALL, BALL, None, LOCKED), (1, 1), Heading.NORTH, KEY, 0)


def map_rows(text):
    return [line.split() for line in text.splitlines() if line.startswith("  ")]


def test_a_thing_is_named_by_state_colour_and_kind():
    assert name_thing(LOCKED) == "locked blue door"
    assert name_content(DOOR) == "an open red door"
    assert name_content(WALL) == "a wall"
    assert name_content(None) == "nothing"


def test_the_whole_grid_lists_every_thing_with_its_cell():
    text = describe_grid(GRID)
    assert "You are at (1, 1), looking north." in text
    assert "In the cell ahead of you, (1, 0): an open red door." in text
    assert "You carry a green key." in text
    assert "- grey ball at (0, 1)" in text
    assert "- open red door at (1, 0)" in text
    assert "- locked blue door at (2, 1)" in text


def test_the_map_shows_walls_doors_things_and_the_agent():
    assert map_rows(describe_grid(GRID)) == [
        ["0", "1", "2"],
        ["0", "##", "rO", "##"],
        ["1", "eB", "@^", "bL"],
    ]


def test_an_agent_in_a_doorway_is_told_so():
    inside = Snapshot(3, 2, GRID.cells, (1, 0), Heading.SOUTH, None, 0)
    text = describe_grid(inside)
    assert "You stand in the doorway of the open red door." in text
    assert "You carry nothing." in text


def view(**cells):
    """A 3 × 3 view: rows from far to near, columns from left to right, e.g. far_left=BALL."""
    names = [f"{row}_{side}" for row in ("far", "next", "own") for side in ("left", "mid", "right")]
    filled = tuple(cells.get(name) for name in names)
    seen = tuple(name != "far_right" for name in names)
    return View(3, filled, seen, Heading.WEST, None)


def test_a_view_tells_places_as_the_agent_would_walk_them():
    text = describe_view(view(far_left=BALL, next_mid=KEY, own_right=LOCKED))
    assert "You look west." in text
    assert "In the cell ahead of you: a green key." in text
    assert "- green key: 1 ahead\n" in text
    assert "- grey ball: 2 ahead, 1 left\n" in text
    assert "- locked blue door: 1 right\n" in text


def test_a_view_says_nothing_of_absolute_places():
    assert "You are at" not in describe_view(view())


def test_the_map_of_a_view_marks_what_is_out_of_sight():
    assert map_rows(describe_view(view(far_left=BALL))) == [
        ["1L", "0", "1R"],
        ["2", "eB", "..", "??"],
        ["1", "..", "..", ".."],
        ["0", "..", "@^", ".."],
    ]


def test_an_empty_view_says_that_nothing_is_seen():
    assert "You see nothing but walls and floor." in describe_view(view(far_left=WALL))
