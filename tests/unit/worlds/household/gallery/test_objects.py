"""Panels of objects."""

from __future__ import annotations

import pytest

from env_service.worlds.ai2thor_api.object_types import object_types
from env_service.worlds.household.gallery import objects
from env_service.worlds.household.gallery.objects import (
    MOST_VARIANTS,
    ON_WALLS,
    object_picture,
    request,
    shown_states,
    state_panels,
    states_of,
    variant_panels,
    variants_of,
)
from tests.support.canvas_renderer import CanvasRenderer


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names = ["Laptop", "Mug", "Pen"]
    found = {name: object_types()[name] for name in names}
    monkeypatch.setattr(objects, "object_types", lambda: found)
    return names


def test_every_type_has_a_size() -> None:
    for name in object_types():
        assert min(request(name).size.tuple()) > 0
    with pytest.raises(KeyError):
        request("Spaceship")


def test_walls_carry_known_types_only() -> None:
    assert set(object_types()) >= ON_WALLS


def test_variants_look_different_and_are_few() -> None:
    numbers = variants_of("Mug")
    assert len(set(numbers)) == len(numbers)
    assert 2 <= len(numbers) <= MOST_VARIANTS
    assert numbers[0] == 1


def test_types_with_one_state_are_not_shown_among_states() -> None:
    assert shown_states("Pen") == ()
    assert shown_states("Mug") == states_of("Mug")


def test_every_type_is_shown_in_its_variants(few: list[str]) -> None:
    captions = [panel.caption for panel in variant_panels(CanvasRenderer(), 16)]
    assert len(captions) == sum(len(variants_of(name)) for name in few)
    assert captions[0] == "Laptop"
    assert captions[1] == "Laptop (2)"


def test_every_state_is_shown_beside_the_plain_one(few: list[str]) -> None:
    panels = list(state_panels(CanvasRenderer(), 16))
    assert len(few) == 3
    assert [panel.caption for panel in panels if panel.caption.startswith("Mug")] == [
        "Mug: as it is", "Mug: dirty", "Mug: water", "Mug: coffee", "Mug: broken",
    ]  # fmt: skip
    assert not any(panel.caption.startswith("Pen") for panel in panels)
    assert all(panel.picture.shape == (16, 16, 3) for panel in panels)


def test_states_are_shown_as_the_object_rests() -> None:
    """A laptop stands open, also when it is broken or on."""
    renderer = CanvasRenderer()
    for state in states_of("Laptop"):
        object_picture(renderer, "Laptop", state, 1, 16)
    at = {
        state.label: camera.position
        for state, camera in zip(states_of("Laptop"), renderer.cameras, strict=True)
    }
    assert at["as it is"] == at["on"] == at["broken"] == at["open"] != at["closed"]


def test_steam_rises_from_hot_coffee() -> None:
    renderer = CanvasRenderer()
    for state in states_of("Mug"):
        object_picture(renderer, "Mug", state, 1, 16)
    steamy = ["steam" in nodes for nodes in renderer.shown]
    assert steamy == [state.label == "coffee" for state in states_of("Mug")]
