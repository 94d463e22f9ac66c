"""Metadata that wait with their objects."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from env_service.worlds.household.event import LazyMetadata

OBJECTS: list[dict[str, Any]] = [{"objectId": "Mug|1"}]


class Counter:
    """Objects that count how often they are worked out."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> list[dict[str, Any]]:
        self.calls += 1
        return [dict(item) for item in OBJECTS]


def test_objects_wait_until_they_are_read_and_stay() -> None:
    objects = Counter()
    metadata = LazyMetadata({"errorMessage": ""}, objects)
    assert metadata["errorMessage"] == ""
    assert "objects" in metadata
    assert metadata.get("nothing") is None
    assert objects.calls == 0
    assert metadata["objects"] is metadata["objects"]
    assert objects.calls == 1


def test_all_of_it_can_be_read_like_a_dictionary() -> None:
    whole = {"objects": OBJECTS, "agentId": 0}

    def made() -> LazyMetadata:
        return LazyMetadata({"agentId": 0}, Counter())

    assert list(made()) == ["objects", "agentId"]
    assert len(made()) == 2
    assert dict(made()) == whole
    assert {**made()} == whole
    assert made() == whole
    assert made() == made()
    assert json.loads(json.dumps(made())) == whole
    assert copy.deepcopy(made()) == whole
    assert pickle.loads(pickle.dumps(made())) == whole
    assert repr(made()) == repr(whole)


def test_a_key_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="reachable"):
        LazyMetadata({}, Counter())["reachable"]
