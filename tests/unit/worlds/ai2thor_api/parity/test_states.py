"""Two states side by side."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.parity.states import FLAGS, NAMES, Snapshot, changes, compare
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances
from tests.support.doctored_thor import MUG, SCENE, START, household

TOLERANCES = Tolerances()

Metadata = dict[str, Any]


@pytest.fixture(scope="module")
def opening() -> Iterator[Metadata]:
    controller = household().open(SCENE, START)
    yield dict(controller.last_event.metadata)
    controller.stop()


@pytest.fixture
def shown(opening: Metadata) -> Metadata:
    return copy.deepcopy(opening)


@pytest.fixture
def other(opening: Metadata) -> Metadata:
    return copy.deepcopy(opening)


def mug(metadata: Metadata) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each for each in metadata["objects"] if each["objectId"] == MUG.object_id
    )
    return found


def differences(left: Metadata, right: Metadata) -> list[tuple[str, str]]:
    found = compare(Snapshot.of(left), Snapshot.of(right), TOLERANCES)
    return [each.place for each in found.differences]


def test_a_state_agrees_with_itself_in_everything(shown: Metadata, other: Metadata) -> None:
    found = compare(Snapshot.of(shown), Snapshot.of(other), TOLERANCES)
    assert found.differences == ()
    assert found.compared == found.agreed
    assert {quantity for _, quantity in found.compared} >= set(NAMES) - {
        "isUsedUp",
        "isToggled",
        "isCooked",
    }


@pytest.mark.parametrize("flag", [flag for flag, trait in FLAGS.items() if trait != "openable"])
def test_each_flag_is_compared_where_it_means_something(
    shown: Metadata, other: Metadata, flag: str
) -> None:
    for metadata in (shown, other):
        mug(metadata)[FLAGS[flag]] = True
    mug(other)[flag] = "water" if flag == "fillLiquid" else not mug(shown)[flag]
    assert differences(shown, other) == [(MUG.object_id, flag)]
    for metadata in (shown, other):
        mug(metadata)[FLAGS[flag]] = False
    assert differences(shown, other) == []


def test_a_thing_that_is_gone_is_one_difference(shown: Metadata, other: Metadata) -> None:
    other["objects"] = [each for each in other["objects"] if each is not mug(other)]
    assert differences(shown, other) == [(MUG.object_id, "exists")]
    assert differences(other, shown) == [(MUG.object_id, "exists")]


def test_places_count_as_the_same_within_the_tolerance(shown: Metadata, other: Metadata) -> None:
    mug(other)["position"]["x"] += 0.04
    mug(other)["rotation"]["y"] += 4.0
    assert differences(shown, other) == []
    mug(other)["position"]["x"] += 0.02
    mug(other)["rotation"]["y"] += 2.0
    assert differences(shown, other) == [(MUG.object_id, "position"), (MUG.object_id, "rotation")]


def test_the_order_of_parents_does_not_matter_and_none_is_no_parent(
    shown: Metadata, other: Metadata
) -> None:
    mug(shown)["parentReceptacles"], mug(other)["parentReceptacles"] = ["A", "B"], ["B", "A"]
    assert differences(shown, other) == []
    mug(shown)["parentReceptacles"], mug(other)["parentReceptacles"] = None, []
    assert differences(shown, other) == []


@pytest.mark.parametrize(
    ("quantity", "key", "value"),
    [
        ("agent position", "position", {"x": 9.0, "y": 0.9, "z": 0.0}),
        ("agent rotation", "rotation", {"x": 0.0, "y": 90.0, "z": 0.0}),
        ("agent horizon", "cameraHorizon", 30.0),
        ("agent standing", "isStanding", False),
    ],
)
def test_the_agent_is_compared(
    shown: Metadata, other: Metadata, quantity: str, key: str, value: Any
) -> None:
    other["agent"][key] = value
    assert differences(shown, other) == [("agent", quantity)]


def test_the_inventory_is_compared(shown: Metadata, other: Metadata) -> None:
    other["inventoryObjects"] = [{"objectId": MUG.object_id, "objectType": "Mug"}]
    assert differences(shown, other) == [("agent", "inventory")]


def test_sight_is_counted_and_is_no_difference_of_the_state(
    shown: Metadata, other: Metadata
) -> None:
    mug(other)["visible"] = not mug(shown)["visible"]
    found = compare(Snapshot.of(shown), Snapshot.of(other), TOLERANCES)
    assert [each.place for each in found.differences] == [(MUG.object_id, "visible")]
    assert found.hard == ()
    assert found.seen["visible", mug(shown)["visible"], mug(other)["visible"]] == 1


def test_changes_hold_new_values_of_what_is_exact(shown: Metadata, other: Metadata) -> None:
    mug(other)["isDirty"] = not mug(shown)["isDirty"]
    mug(other)["position"]["x"] += 1.0
    mug(other)["visible"] = not mug(shown)["visible"]
    done = changes(Snapshot.of(shown), Snapshot.of(other), TOLERANCES)
    assert done == {
        (MUG.object_id, "isDirty"): mug(other)["isDirty"],
        (MUG.object_id, "position"): None,
    }
