"""Which states are shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import Liquid, Look
from env_service.worlds.household.gallery.objects import object_picture, request, states_of
from env_service.worlds.household.render.soft.renderer import SoftRenderer


def labels(type_name: str) -> list[str]:
    return [state.label for state in states_of(type_name)]


def test_the_plain_state_comes_first_and_is_as_it_rests() -> None:
    for name in object_types():
        first = states_of(name)[0]
        assert (first.label, first.look, first.openness) == ("as it is", Look(), None)


def test_labels_differ() -> None:
    for name in object_types():
        assert len(set(labels(name))) == len(labels(name))


def test_a_mug_is_shown_dirty_full_and_broken() -> None:
    assert labels("Mug") == ["as it is", "dirty", "water", "coffee", "broken"]


def test_coffee_is_hot() -> None:
    coffee = next(state for state in states_of("Mug") if state.label == "coffee")
    assert coffee.look == Look(liquid=Liquid.COFFEE, hot=True)


def test_what_opens_is_shown_closed_half_open_and_open() -> None:
    openness = [state.openness for state in states_of("Fridge")]
    assert openness == [None, 0.0, 0.5, 1.0]


@pytest.mark.parametrize("name", ["PaperTowelRoll", "SoapBottle", "TissueBox", "ToiletPaper"])
def test_what_can_be_used_up_is_shown_used_up(name: str) -> None:
    assert "used up" in labels(name)


def test_every_trait_that_can_be_seen_has_a_state() -> None:
    words = {Trait.DIRTYABLE: "dirty", Trait.FILLABLE: "water", Trait.BREAKABLE: "broken",
             Trait.SLICEABLE: "sliced", Trait.TOGGLEABLE: "on", Trait.OPENABLE: "open"}  # fmt: skip
    for name, kind in object_types().items():
        for trait, word in words.items():
            assert (word in labels(name)) >= (trait in kind.traits), (name, word)


def test_an_unknown_type_has_no_states() -> None:
    with pytest.raises(KeyError):
        states_of("Spaceship")


def test_a_drawer_looks_different_closed_half_open_and_open() -> None:
    renderer = SoftRenderer(compiled=False)
    shown = [
        object_picture(renderer, "Drawer", state, 1, 48)
        for state in states_of("Drawer")
        if state.openness is not None
    ]
    assert len(shown) == 3
    for one, two in pairwise(shown):
        assert np.abs(one.astype(int) - two).mean() > 3


def test_a_sliced_egg_is_an_empty_shell_and_a_broken_one_is_not() -> None:
    parts = {
        label: [part.name for part in catalogue.model(replace(request("Egg"), look=look)).parts]
        for label, look in (("sliced", Look(sliced=True)), ("broken", Look(broken=True)))
    }
    assert "yolk" in parts["broken"]
    assert parts["sliced"] == ["shell"]
