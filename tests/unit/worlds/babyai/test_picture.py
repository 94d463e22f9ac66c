import numpy as np
import pytest

from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.world import MAX_SIDE, BabyAiWorld
from tests.unit.worlds.babyai.walker import find, route


@pytest.mark.parametrize("name", ["PickupLoc", "BossLevel"])
def test_pictures_are_colour_contiguous_and_of_moderate_size(name):
    world = BabyAiWorld(LEVELS[name], 2)
    for pixels in (world.grid_picture(), world.view_picture()):
        assert pixels.dtype == np.uint8
        assert pixels.ndim == 3
        assert pixels.shape[2] == 3
        assert pixels.flags.c_contiguous
        assert MAX_SIDE * 0.85 < max(pixels.shape) <= MAX_SIDE


def test_pictures_follow_the_state_and_nothing_else():
    first, second = (BabyAiWorld(LEVELS["PickupLoc"], 2) for _ in range(2))
    assert np.array_equal(first.grid_picture(), second.grid_picture())
    assert np.array_equal(first.view_picture(), second.view_picture())
    first.step("left")
    assert not np.array_equal(first.grid_picture(), second.grid_picture())
    assert not np.array_equal(first.view_picture(), second.view_picture())


def test_both_pictures_show_what_is_carried_in_the_strip_at_the_bottom():
    world = BabyAiWorld(LEVELS["PickupLoc"], 2)
    for action in route(world.snapshot(), find(world.snapshot(), "red box")):
        world.step(action)
    for draw in (world.grid_picture, world.view_picture):
        rows = slice(-draw().shape[0] // 9, None)
        assert not red(draw()[rows]).any()
    world.step("pickup")
    for draw in (world.grid_picture, world.view_picture):
        assert red(draw()[-20:]).any()


def red(pixels):
    return (pixels[..., 0] > 200) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)
