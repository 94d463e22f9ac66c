"""Where an agent can walk in a draft of a room."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.scene.rooms.layout import CrampedError, Footprint, RoomLayout
from env_service.worlds.household.scene.rooms.shell import AGENT_HEIGHT, walkable_start


def draft(*standing: Footprint) -> RoomLayout:
    return RoomLayout("a room", Palette(), np.random.default_rng(1), standing=list(standing))


def test_the_agent_starts_farthest_from_all_furniture() -> None:
    start = walkable_start(draft(Footprint(1.0, 0.0, 2.0, 4.0)), 4.0, 4.0)
    assert (start.position.x, start.position.y) == (-1.0, AGENT_HEIGHT)


def test_a_floor_in_two_halves_is_refused() -> None:
    with pytest.raises(CrampedError, match="pieces"):
        walkable_start(draft(Footprint(0.0, 0.0, 4.0, 0.4)), 4.0, 4.0)


def test_a_thing_that_nobody_can_come_near_is_refused() -> None:
    fence = [Footprint(1.0, 1.45, 0.2, 1.1), Footprint(1.45, 1.0, 1.1, 0.2)]
    with pytest.raises(CrampedError, match="reach"):
        walkable_start(draft(*fence, Footprint(1.9, 1.9, 0.1, 0.1)), 4.0, 4.0)


def test_a_front_behind_other_furniture_is_refused() -> None:
    blocked = draft(Footprint(-1.0, 1.0, 1.6, 1.6))
    blocked.fronts.append((-1.0, 1.0))
    with pytest.raises(CrampedError, match="front"):
        walkable_start(blocked, 4.0, 4.0)


def test_footprints_meet_where_they_share_area() -> None:
    one = Footprint(0.0, 0.0, 1.0, 1.0)
    assert one.meets(Footprint(0.9, 0.0, 1.0, 1.0))
    assert not one.meets(Footprint(1.0, 0.0, 1.0, 1.0))
    assert one.meets(Footprint(1.1, 0.0, 1.0, 1.0, 45.0))
    assert not one.meets(Footprint(1.0, 1.0, 0.9, 0.9, 45.0))
