import pytest

from env_service.worlds.babyai.actions import ACTIONS, Obstacle, Refusal, find_refusal
from env_service.worlds.babyai.state import Heading, Snapshot, Thing

WALL = Thing("wall", "grey")
BALL = Thing("ball", "red")
BOX = Thing("box", "red")
KEY = Thing("key", "blue")
OTHER_KEY = Thing("key", "red")
OPEN = Thing("door", "blue", "open")
CLOSED = Thing("door", "blue", "closed")
LOCKED = Thing("door", "blue", "locked")


def facing(ahead, carrying=None):
    """An agent in a corner of a 2 × 1 strip, looking at the other cell."""
    return Snapshot(2, 1, (None, ahead), (0, 0), Heading.EAST, carrying, 0)


@pytest.mark.parametrize(
    ("action", "ahead", "carrying", "obstacle"),
    [
        ("left", WALL, None, None),
        ("right", WALL, KEY, None),
        ("forward", None, None, None),
        ("forward", OPEN, None, None),
        ("forward", WALL, None, Obstacle.BLOCKED),
        ("forward", BALL, None, Obstacle.BLOCKED),
        ("forward", CLOSED, None, Obstacle.BLOCKED),
        ("forward", LOCKED, KEY, Obstacle.BLOCKED),
        ("pickup", BALL, None, None),
        ("pickup", BOX, None, None),
        ("pickup", KEY, None, None),
        ("pickup", None, None, Obstacle.NOTHING_PORTABLE),
        ("pickup", WALL, None, Obstacle.NOTHING_PORTABLE),
        ("pickup", OPEN, KEY, Obstacle.NOTHING_PORTABLE),
        ("pickup", BALL, KEY, Obstacle.HANDS_FULL),
        ("drop", None, KEY, None),
        ("drop", None, None, Obstacle.HANDS_EMPTY),
        ("drop", BALL, None, Obstacle.HANDS_EMPTY),
        ("drop", BALL, KEY, Obstacle.OCCUPIED),
        ("drop", OPEN, KEY, Obstacle.OCCUPIED),
        ("toggle", CLOSED, None, None),
        ("toggle", OPEN, None, None),
        ("toggle", BOX, None, None),
        ("toggle", LOCKED, KEY, None),
        ("toggle", LOCKED, None, Obstacle.LOCKED),
        ("toggle", LOCKED, OTHER_KEY, Obstacle.LOCKED),
        ("toggle", LOCKED, BALL, Obstacle.LOCKED),
        ("toggle", None, None, Obstacle.NOT_OPENABLE),
        ("toggle", WALL, None, Obstacle.NOT_OPENABLE),
        ("toggle", BALL, KEY, Obstacle.NOT_OPENABLE),
    ],
)
def test_an_action_is_refused_for_the_reason_at_hand(action, ahead, carrying, obstacle):
    expected = None if obstacle is None else Refusal(obstacle, ahead)
    assert find_refusal(facing(ahead, carrying), action) == expected


def test_there_are_six_actions_and_done_is_none_of_them():
    assert ACTIONS == ("left", "right", "forward", "pickup", "drop", "toggle")
