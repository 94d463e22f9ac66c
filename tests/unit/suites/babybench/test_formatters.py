import json

import pytest

from env_service.domain.names import UnknownNameError
from env_service.suites.babybench.formatters import FORMATTERS, HEADER, describe, format_bullets
from env_service.suites.babybench.tasks import Facts
from env_service.worlds.babyai.state import Heading, Snapshot, Thing
from tests.unit.suites.babybench.builders import known

WALL = Thing("wall", "grey")


def facts(*things, rooms=1, size=4, heading=Heading.NORTH, mission="go to the box"):
    """A level of walls all around, with things at their cells."""
    side = rooms * (size - 1) + 1
    cells = {(x, y): None for y in range(side) for x in range(side)}
    for x, y in cells:
        if not 0 < x < side - 1 or not 0 < y < side - 1:
            cells[x, y] = WALL
    cells.update(things)
    start = Snapshot(side, side, tuple(cells.values()), (1, 2), heading, None, 0)
    return Facts(rooms, start, mission, 64)


ORANGE = Thing("box", "yellow", contains=Thing("key", "red"))
SHUT, LOCKED = Thing("door", "red", "closed"), Thing("door", "blue", "locked")


def test_the_bullets_of_a_room():
    assert format_bullets(facts(((2, 1), ORANGE))) == "\n".join(
        [
            "- Number of rooms: 1",
            "- Size of each room (including walls): 4x4",
            "- Effective room size (excluding walls): 2x2",
            "- Total grid size: 4x4",
            "- Agent initial position: (1, 2)",
            "- Agent facing direction: north (toward (1, 1))",
            "- Objects in environment:",
            "  - box, color=yellow, position=(2, 1)",
            "- Mission: 'go to the box'",
        ]
    )


def test_the_bullets_of_a_maze_list_doors_row_by_row_and_say_which_are_locked():
    text = format_bullets(facts(((3, 4), SHUT), ((6, 1), LOCKED), rooms=3, size=4))
    assert "- Number of rooms: 3x3" in text
    assert "- Total grid size: 10x10" in text
    listed = [line for line in text.split("\n") if line.startswith("  - ")]
    assert listed == [
        "  - door, color=blue, position=(6, 1), locked=True",
        "  - door, color=red, position=(3, 4), locked=False",
    ]


def test_a_room_without_objects_says_so():
    assert "- Objects in environment: none\n" in format_bullets(facts())
    assert "There is no object in the environment." in describe(facts(), "narrative")
    assert json.loads(describe(facts(), "json"))["config"]["objects"] == []


def test_structured_is_header_announcement_and_bullets():
    level = facts(((2, 1), ORANGE))
    header, announcement, bullets = describe(level, "structured").split("\n\n")
    assert header + "\n\n" == HEADER
    assert header.endswith(",")
    assert announcement.endswith(":")
    assert bullets == format_bullets(level)


def test_json_has_the_header_and_the_facts_in_their_order():
    text = describe(facts(((6, 1), LOCKED), ((2, 1), ORANGE), rooms=3), "json")
    document = json.loads(text)
    assert text.startswith('{\n  "context": ')
    assert document["context"] == HEADER
    assert list(document["config"].items()) == [
        ("num_rooms", [3, 3]),
        ("room_size_incl_walls", [4, 4]),
        ("room_size_excl_walls", [2, 2]),
        ("grid_size", [10, 10]),
        ("agent_initial_pos", [1, 2]),
        ("agent_front_pos", [1, 1]),
        ("agent_direction", {"index": 3, "name": "north"}),
        (
            "objects",
            [
                {"type": "box", "color": "yellow", "position": [2, 1]},
                {"type": "door", "color": "blue", "position": [6, 1], "locked": True},
            ],
        ),
        ("mission", "go to the box"),
    ]


def test_json_of_a_room_counts_one():
    assert json.loads(describe(facts(), "json"))["config"]["num_rooms"] == 1


def test_the_narrative_of_a_maze_tells_of_locks_and_ends_with_a_space():
    level = facts(((2, 1), ORANGE), ((6, 1), LOCKED), ((3, 4), SHUT), rooms=3)
    text = describe(level, "narrative")
    assert (
        "There is a yellow box at position (2, 1), a locked blue door at position (6, 1), "
        "and an unlocked red door at position (3, 4)."
    ) in text
    assert text.endswith("'go to the box'. ")
    assert "\n" not in text


def test_the_narrative_of_a_room_knows_no_doors():
    text = describe(facts(((2, 1), ORANGE)), "narrative")
    assert "There is a yellow box at position (2, 1)." in text
    assert "door" not in text


@pytest.mark.parametrize("form", FORMATTERS)
def test_neither_open_doors_nor_what_boxes_hold_are_told(form):
    level = facts(((3, 4), Thing("door", "red", "open")), ((2, 1), ORANGE), rooms=3)
    shut = facts(((3, 4), SHUT), ((2, 1), Thing("box", "yellow")), rooms=3)
    assert describe(level, form) == describe(shut, form)


def test_rooms_of_any_size_are_measured():
    text = format_bullets(known("Ultra-120Dists/1").facts)
    assert "- Size of each room (including walls): 32x32" in text
    assert "- Number of rooms: 1\n" in text
    assert "- Size of each room (including walls): 8x8" in format_bullets(known("GoTo/2").facts)


def test_an_unknown_form_is_refused():
    with pytest.raises(UnknownNameError, match="structured"):
        describe(facts(), "prose")
