"""Metadata that makes no sense is refused by name."""

from __future__ import annotations

import math
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.scene.spec import Temperature
from env_service.worlds.household.scene.thor_records import read_records
from tests.support.thor_objects import thor_object


def mug(**changes: Any) -> dict[str, Any]:
    return thor_object("Mug", (1.0, 1.0, 2.0), (0.1, 0.1, 0.08), oriented=True, **changes)


def test_an_object_keeps_what_describes_it():
    item = mug(
        rotation=(0, 30, 0),
        isFilledWithLiquid=True,
        fillLiquid="coffee",
        canFillWithLiquid=True,
        temperature="Hot",
    )
    (record,) = read_records("Room", {item["objectId"]: item})
    assert record.object_id == item["objectId"]
    assert record.name == item["name"]
    assert record.position.to_json() == item["position"]
    assert record.traits == {Trait.PICKUPABLE, Trait.FILLABLE}
    assert (record.start.liquid, record.start.temperature) == ("coffee", Temperature.HOT)
    assert record.oriented is not None
    assert record.oriented.size.tuple() == pytest.approx((0.1, 0.1, 0.08))
    assert record.oriented.bounds().size.tuple() == pytest.approx(record.bounds.size.tuple())


def test_a_list_reads_like_a_mapping():
    assert read_records("Room", [mug()]) == read_records("Room", {"any": mug()})


def test_a_shelf_may_be_a_plane():
    shelf = thor_object("Shelf", (0, 1, 0), (0.5, 0.3, 0.0))
    (record,) = read_records("Room", [shelf])
    assert record.bounds.size.z == 0.0


def test_what_is_open_without_a_share_is_open_fully():
    (record,) = read_records("Room", [mug(openable=True, isOpen=True)])
    assert record.start.openness == 1.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"objectType": "Spaceship"}, ("objectType", "Spaceship")),
        ({"mass": math.nan}, ("mass", "finite")),
        ({"mass": "heavy"}, ("mass", "heavy")),
        ({"openness": 3.0}, ("openness", "above 1")),
        ({"isDirty": 1}, ("isDirty", "true nor false")),
        ({"position": {"x": 1.0, "y": math.inf, "z": 0.0}}, ("position", "finite")),
        ({"position": {"x": 1.0, "z": 0.0}}, ("position", "three")),
        ({"position": [1, 2, 3]}, ("position", "mapping")),
        ({"position": {"x": 1e9, "y": 0.0, "z": 0.0}}, ("position", "origin")),
        ({"temperature": "Tepid"}, ("temperature", "RoomTemp")),
        ({"isFilledWithLiquid": True, "fillLiquid": "soup"}, ("fillLiquid", "water")),
        ({"parentReceptacles": ["Shelf|+00.00|+00.00|+00.00"]}, ("parentReceptacles", "Shelf|")),
        ({"receptacleObjectIds": "Mug"}, ("receptacleObjectIds", "list")),
        ({"objectOrientedBoundingBox": {"cornerPoints": [[0, 0, 0]]}}, ("cornerPoints", "eight")),
        ({"objectOrientedBoundingBox": {"cornerPoints": [[0, 0, 0]] * 8}}, ("extent",)),
        ({"axisAlignedBoundingBox": None}, ("axisAlignedBoundingBox", "mapping")),
        ({"name": ""}, ("name", "text")),
    ],
)
def test_nonsense_is_refused_by_name(changes, words):
    with pytest.raises(ValueError, match="Room: Mug") as caught:
        read_records("Room", [{**mug(), **changes}])
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("size", [(-0.1, 0.1, 0.1), (0.0, 0.0, 0.1)])
def test_a_box_needs_extent(size):
    item = mug()
    item["axisAlignedBoundingBox"]["size"] = dict(zip("xyz", size, strict=True))
    with pytest.raises(ValueError, match=r"axisAlignedBoundingBox\.size.*extent"):
        read_records("Room", [item])


@pytest.mark.parametrize("key", sorted(set(mug()) - {"objectId"}))
def test_a_missing_key_is_named(key):
    item = mug()
    del item[key]
    with pytest.raises(ValueError, match=f"Room: Mug.*{key} is missing"):
        read_records("Room", [item])


def test_an_id_comes_once():
    with pytest.raises(ValueError, match="twice"):
        read_records("Room", [mug(), mug()])


@pytest.mark.parametrize("objects", [[], {}, "objects", [3], 7])
def test_what_is_no_metadata_is_refused(objects):
    with pytest.raises(ValueError, match="Room"):
        read_records("Room", objects)
