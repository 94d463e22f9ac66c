"""Whatever is wrong with one object, a scene loads or is refused by name."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.worlds.household.scene.thor_metadata import Capture, scene_from_metadata
from tests.support.thor_objects import kitchen

JUNK: list[Any] = [
    None, True, 0, -1, 1e-9, 1e308, 10**400, math.nan, math.inf, "", "Fridge", "Shelf", "Window",
    "Bathtub", "SinkBasin", "ShowerGlass", b"x", [], {}, [None], [[0, 0, 0]] * 8, {"x": 1, "y": 1},
    {"x": 0, "y": 0, "z": 0}, 999.0,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all values in nested mappings and lists."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    found = []
    for key, inner in pairs:
        found += [(*path, key), *places(inner, (*path, key))]
    return found


@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_broken_object_loads_or_is_refused_by_name(data: st.DataObject) -> None:
    items = kitchen()
    item = data.draw(st.sampled_from(items), label="object")
    path = data.draw(st.sampled_from(places(item)), label="place")
    holder = item
    for key in path[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and data.draw(st.booleans(), label="taken out"):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(st.sampled_from(JUNK), label="junk")
    try:
        scene = scene_from_metadata("Room", items)
    except ValueError as error:
        assert str(error).startswith("Room: ")
        assert str(path[0]) in str(error)
        return
    for part in (*scene.objects, *scene.structure):
        assert all(map(math.isfinite, (*part.body.center.tuple(), *part.body.size.tuple())))
        assert min(part.body.size.tuple()) > 0


@pytest.mark.parametrize(
    "agent",
    [
        {"position": {"x": math.nan, "y": 0.9, "z": 0.0}},
        {"position": {"x": 0.0, "y": 0.9, "z": 0.0}, "rotation": None},
        {"position": {"x": 0.0, "y": 0.9, "z": 0.0}, "rotation": {"y": 90.0}},
        {"position": {"x": 0.0, "y": 0.9, "z": 0.0}, "cameraHorizon": "low"},
        {"position": {"x": 10**400, "y": 0.9, "z": 0.0}},
    ],
)
def test_a_broken_agent_is_refused(agent: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Room: the agent's .*event\.metadata\['agent'\]"):
        scene_from_metadata("Room", kitchen(), Capture(agent))


@pytest.mark.parametrize("size", [{"x": 1, "y": 1}, {"x": 1, "y": -1, "z": 1}, None])
def test_broken_bounds_are_refused(size: Any) -> None:
    bounds = {"center": {"x": 0, "y": 1, "z": 0}, "size": size}
    with pytest.raises(ValueError, match="Room: the scene's bounds"):
        scene_from_metadata("Room", kitchen(), Capture(scene_bounds=bounds))
