"""Where forced puts go: AI2-THOR's grid of spawn points."""

from __future__ import annotations

import pytest

from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.spec import ObjectSpec
from env_service.worlds.household.simulation.space.spawn_grid import grid_pose
from env_service.worlds.household.state import HouseholdState
from tests.support.household_player import Player
from tests.support.household_scenes import start
from tests.support.small_home import home, thing

BIN = (0.5037, 0.424, 0.3398)
"""The size of a bin of AI2-THOR, metres."""


def stood(receptacle: ObjectSpec, *things: ObjectSpec) -> list[Box]:
    """The boxes of things that are put into a receptacle by force, one after the other."""
    state = HouseholdState.at_start(home(receptacle, *things))
    player = Player(state)
    for each in things:
        player.do("PickupObject", each.object_id)
        player.do("PutObject", receptacle.object_id, forceAction=True)
    return [player[each.object_id].body for each in things]


def test_things_fill_a_bin_from_its_corner_along_the_grid() -> None:
    can = thing("GarbageCan", (0.0, 0.0, 1.0), BIN)
    size = (0.053, 0.074, 0.053)
    shakers = [thing("SaltShaker", (x, 0.0, -1.0), size) for x in (-1.0, 0.0, 1.0)]
    first, second, third = stood(can, *shakers)
    # A point of the first column of an eighth of 0.3828 m, and rows of an eighth of 0.2184 m.
    assert first.center.x == pytest.approx(0.1436, abs=2e-3)
    assert first.center.z - 1.0 == pytest.approx(0.0546, abs=2e-3)
    assert first.bottom == pytest.approx(0.084 * 0.424 + 0.005, abs=1e-3)
    assert second.center.x == pytest.approx(first.center.x, abs=1e-6)
    assert second.center.z - 1.0 == pytest.approx(0.0, abs=2e-3)
    assert third.center.z - 1.0 == pytest.approx(-0.0546, abs=2e-3)


def test_what_collides_upright_is_tilted() -> None:
    can = thing("GarbageCan", (0.0, 0.0, 1.0), BIN)
    (roll,) = stood(can, thing("ToiletPaper", (0.0, 0.0, -1.0), (0.05, 0.05, 0.22)))
    assert abs(roll.rotation.rows[1][1]) < 1e-6


def test_the_grid_turns_with_the_receptacle() -> None:
    can = thing("GarbageCan", (0.0, 0.0, 1.0), BIN, yaw=90.0)
    (egg,) = stood(can, thing("Egg", (0.0, 0.0, -1.0), (0.053, 0.074, 0.053)))
    assert egg.center.z - 1.0 == pytest.approx(-0.1436, abs=2e-3)


def test_a_bin_that_is_full_has_no_point() -> None:
    can = thing("GarbageCan", (0.0, 0.0, 1.0), BIN)
    pot = thing("Pot", (0.0, 0.0, -1.0), (0.4, 0.2, 0.4))
    state = HouseholdState.at_start(home(can, pot))
    objects = state.objects
    assert grid_pose(state, objects[pot.object_id], objects[can.object_id]) is None


def test_without_force_the_nearest_spot_is_taken() -> None:
    forced, free = Player(start()), Player(start())
    forced.put("Apple", "DiningTable", forceAction=True)
    free.put("Apple", "DiningTable")
    agent = free.state.agent.position

    def away(player: Player) -> float:
        spot = player["Apple"].pose.position - agent
        return Vec3(spot.x, 0.0, spot.z).length()

    assert away(free) < away(forced)
    assert forced["Apple"].parents == free["Apple"].parents
