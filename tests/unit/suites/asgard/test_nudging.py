from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from env_service.suites.asgard.actions.body import Body, ReleaseMemory
from env_service.suites.asgard.actions.handlers import PASSES, RESTS, SPREAD, part_slices
from tests.unit.suites.asgard.builders import room, thing


class Event:
    """An event that shows a room."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.metadata = {**metadata, "lastActionSuccess": True, "errorMessage": ""}

    def __bool__(self) -> bool:
        return True


class Stuck:
    """A world in which nothing moves before the push of a number; 0: never."""

    def __init__(self, moves_at: int = 0) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._moves_at = moves_at
        self.last_event = self._event(0.0)

    def step(self, action: str, **arguments: Any) -> Event:
        self.calls.append((action, arguments))
        moved = self._moves_at and self.count("DirectionalPush") >= self._moves_at
        self.last_event = self._event(0.2 if moved else 0.0)
        return self.last_event

    def count(self, action: str) -> int:
        return sum(name == action for name, _ in self.calls)

    def given(self, action: str) -> list[dict[str, Any]]:
        return [given for name, given in self.calls if name == action]

    def _event(self, shift: float) -> Event:
        small = thing("AppleSliced", (shift, 0.9, 0), objectId="small", size=(0.02, 0.1, 0.1))
        large = thing("AppleSliced", (0.5, 0.9, 0), objectId="large", size=(0.05, 0.1, 0.1))
        return Event(room(small, large).metadata)


def part(world: Any, seed: int = 3) -> None:
    part_slices(Body(world, ReleaseMemory()), "AppleSliced", random.Random(seed))


def test_pushing_ends_as_soon_as_one_slice_is_apart():
    world = Stuck(moves_at=3)
    part(world)
    assert world.count("DirectionalPush") == 3
    assert world.count("Done") == 3 * RESTS
    assert world.count("DisableObject") == 0


def test_pushes_grow_from_pass_to_pass_and_go_ahead_and_back():
    world = Stuck(moves_at=3)
    part(world)
    pushes = world.given("DirectionalPush")
    assert [each["moveMagnitude"] for each in pushes] == [4.0, 4.0, 4.5]
    assert [each["objectId"] for each in pushes] == ["small", "large", "small"]
    off = [(each["pushAngle"] + 90) % 180 - 90 for each in pushes]
    assert all(abs(angle) <= SPREAD for angle in off)
    assert 90 < pushes[1]["pushAngle"] < 270


def test_the_same_seed_pushes_the_same_way():
    worlds = [Stuck(), Stuck(), Stuck()]
    for world, seed in zip(worlds, (3, 3, 4), strict=True):
        part(world, seed)
    assert worlds[0].calls == worlds[1].calls
    assert worlds[0].calls != worlds[2].calls


@pytest.mark.parametrize("seed", [1, 2])
def test_where_nothing_moves_the_largest_slice_leaves(seed: int):
    world = Stuck()
    part(world, seed)
    assert world.count("DirectionalPush") == PASSES * 2
    assert world.given("DisableObject") == [{"objectId": "large"}]
