import pytest

from env_service.suites.asgard.actions.executor import turn_knife
from tests.unit.suites.asgard.builders import room, thing


class World:
    def __init__(self):
        self.calls = []

    def step(self, action, **arguments):
        self.calls.append((action, arguments))


def turned(kind, *, held):
    world = World()
    turn_knife(world, room(thing(kind), held=kind if held else ""))
    return world.calls


@pytest.mark.parametrize("kind", ["Knife", "ButterKnife"])
def test_a_knife_in_the_hand_is_held_upright(kind):
    upright = {"rotation": {"x": 0.0, "y": 0.0, "z": 90.0}}
    assert turned(kind, held=True) == [("RotateHeldObject", upright)]


@pytest.mark.parametrize(("kind", "held"), [("Knife", False), ("Fork", True), ("Fork", False)])
def test_nothing_else_is_turned(kind, held):
    assert turned(kind, held=held) == []
