"""What is posed in something with a door or lid lies in it, in the floor plans.

A few rooms that differ by how their safes, fridges and microwaves stand; all 120 with everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.library import MetadataFolder, SceneLibrary
from env_service.worlds.household.simulation.space.containment import ENCLOSING
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.data import reference_data
from tests.support.household_player import Player
from tests.support.whole import sample

pytestmark = pytest.mark.data

THINGS = {
    "Box": ("KeyChain", "CellPhone"),
    "Cabinet": ("SoapBar", "Mug", "Candle"),
    "Drawer": ("CreditCard", "KeyChain", "Fork", "SoapBar"),
    "Fridge": ("Egg", "Apple", "Plate"),
    "Microwave": ("Egg", "Plate"),
    "Safe": ("CreditCard", "KeyChain", "CellPhone"),
}
"""What tasks pose in each, thin things first."""

HEIGHTS = {"Fridge": (0.06, 0.35, 0.8, 1.1, 1.45), "Cabinet": (0.03, 0.2)}
"""Metres above the underside of a receptacle; of the others 0.03, where AI2-THOR has bottoms."""

TOP = 0.12
"""Metres below a receptacle's top where nothing is posed any more."""

OFF = 0.1
"""Metres from its pose up to which a thing counts as there."""

ROOMS = tuple(
    f"FloorPlan{room + number}_physics" for room in (0, 200, 300, 400) for number in range(1, 31)
)
SHOWN = tuple(f"FloorPlan{number}_physics" for number in (2, 10, 11, 219, 309, 323, 414))


@cache
def _library() -> SceneLibrary:
    return SceneLibrary([MetadataFolder(reference_data("ithor/dev/data/objects_metadata_samples"))])


@pytest.mark.parametrize("room", sample(ROOMS, SHOWN))
def test_what_is_posed_in_closed_furniture_is_in_it(room: str) -> None:
    start = HouseholdState.at_start(_library().load(room))
    wrong = [
        told
        for holder in start.objects.values()
        if holder.spec.type in ENCLOSING and holder.spec.can(Trait.OPENABLE)
        for item in _things(start, holder)
        for height in HEIGHTS.get(holder.spec.type, (0.03,))
        if height < holder.body.size.y - TOP
        for told in _posed(start, item, holder, height)
    ]
    assert not wrong, "\n".join(wrong)


def _things(state: HouseholdState, holder: ObjectState) -> Iterator[ObjectState]:
    for kind in THINGS.get(holder.spec.type, ()):
        yield from [each for each in state.objects.values() if each.spec.type == kind][:1]


def _posed(
    start: HouseholdState, item: ObjectState, holder: ObjectState, height: float
) -> Iterator[str]:
    """What is wrong with an item that is posed in the middle of a holder."""
    low, high = item.extent
    size, body = high - low, holder.body
    if max(size.x, size.z) > min(body.size.x, body.size.z) - OFF:
        return
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    way = Vec3(body.center.x, body.bottom + height, body.center.z) - foot
    pose = item.pose.position + way
    furniture = [
        _entry(each, each.pose.position)
        for each in start.objects.values()
        if each.id == holder.id or not each.spec.can(Trait.PICKUPABLE)
        if each.spec.can(Trait.MOVEABLE) or each.spec.can(Trait.PICKUPABLE)
    ]
    player = Player(start)
    player.do("SetObjectPoses", objectPoses=[_entry(item, pose), *furniture])
    now = player[item.id]
    where = f"{item.spec.type} {height} m over the underside of {holder.id}"
    if holder.id not in (now.parents or ()):
        yield f"{where} is in or on {now.parents}"
    elif (now.pose.position - pose).length() > OFF:
        yield f"{where} is {(now.pose.position - pose).length():.2f} m off"


def _entry(item: ObjectState, position: Vec3) -> dict[str, Any]:
    return {
        "objectName": item.spec.name,
        "position": position.to_json(),
        "rotation": item.euler.to_json(),
    }
