"""What is kept of results, and for how long."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets.shapes import box
from env_service.worlds.household.simulation.space.caches import Kept
from env_service.worlds.household.simulation.space.occupancy import SURFACES, surface_of


class Counted:
    """A function that counts its calls: so many bytes."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, count: int) -> bytes:
        self.calls.append(count)
        return bytes(count)


def test_a_result_is_worked_out_once() -> None:
    made = Counted()
    kept = Kept(made, len, 100)
    assert kept(10) is kept(10)
    assert made.calls == [10]


def test_what_is_kept_never_exceeds_the_bound() -> None:
    kept = Kept(Counted(), len, 100)
    for count in (30, 40, 20, 50, 60, 10):
        kept(count)
        assert kept.held <= 100
    assert kept.held == 70
    assert len(kept) == 2


def test_the_least_recently_used_result_goes_first() -> None:
    made = Counted()
    kept = Kept(made, len, 100)
    for count in (40, 50, 40, 45):
        kept(count)
    made.calls.clear()
    kept(40)
    kept(45)
    assert not made.calls
    kept(50)
    assert made.calls == [50]


def test_a_result_larger_than_the_bound_is_given_out_and_displaces_nothing() -> None:
    made = Counted()
    kept = Kept(made, len, 100)
    kept(60)
    assert len(kept(101)) == 101
    assert (kept.held, len(kept)) == (60, 1)
    kept(101)
    assert made.calls == [60, 101, 101]


def test_arguments_by_name_count() -> None:
    kept = Kept(lambda low, *, high: range(low, high), len, 100)
    assert (kept(1, high=5), kept(1, high=7)) == (range(1, 5), range(1, 7))


def test_surfaces_of_whole_rooms_do_not_pile_up() -> None:
    walls = [box(12.0, 3.0, 0.1 + 0.01 * number) for number in range(8)]
    sizes = [surface_of(wall).size() for wall in walls]
    assert sum(sizes) > SURFACES
    assert surface_of.held <= SURFACES
    again = surface_of(walls[0])
    assert np.array_equal(again.points, surface_of(walls[0]).points)
