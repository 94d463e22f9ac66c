import pytest

from env_service.worlds.ai2thor_api.geometry import Extent, Point, volume
from tests.unit.suites.asgard.builders import thing


def test_an_extent_is_that_of_the_turned_box():
    plank = Extent(thing("Book", (1.0, 0.5, 2.0), (1.0, 0.2, 0.1), rotation=(0.0, 45.0, 0.0)))
    assert plank.center == pytest.approx((1.0, 0.5, 2.0))
    assert plank.height == pytest.approx(0.2)
    assert plank.covers(Point(1.3, 7.0, 1.7))
    assert not plank.covers(Point(1.3, 0.5, 2.3))


def test_without_a_turned_box_the_upright_one_counts():
    fridge = thing("Fridge", (0.0, 1.0, 0.0), (1.0, 2.0, 1.0), objectOrientedBoundingBox=None)
    assert Extent(fridge).covers(Point(0.49, 0.0, -0.49))
    assert not Extent(fridge).covers(Point(0.51, 1.0, 0.0))
    assert volume(fridge) == pytest.approx(2.0)


def test_what_has_no_box_at_all_covers_nothing():
    odd = thing("Mug", objectOrientedBoundingBox=None, axisAlignedBoundingBox=None)
    assert not Extent(odd).covers(Point(0.0, 0.0, 0.0))
    assert Extent(odd).center == (9.0, 0.1, 9.0)
    assert Extent(odd).height == 0.0
    assert volume(odd) == 0.0
