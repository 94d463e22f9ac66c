"""Tests that the world keeps the contract of AI2-THOR's controller API."""

from env_service.testing import WorldConformance
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.world_registry import open_world


class TestMyWorld(WorldConformance):
    world = "my_world"


def test_it_is_darker_than_by_day():
    light = {}
    for world in ("my_world", "household"):
        controller = open_world(world, "household-kitchen-1", ThorStart(64, 48))
        light[world] = controller.last_event.frame.mean()
        controller.stop()
    assert light["my_world"] < 0.7 * light["household"]
