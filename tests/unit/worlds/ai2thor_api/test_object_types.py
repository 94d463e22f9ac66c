"""The table of AI2-THOR's object types."""

from __future__ import annotations

import json

import pytest

from env_service.worlds.ai2thor_api.object_types import (
    MUST_BE_OPEN_TO_PLACE,
    Holds,
    Trait,
    object_types,
)
from tests.support.data import reference_data


def test_every_type_is_there_and_names_known_types() -> None:
    types = object_types()
    assert len(types) == 125
    assert len({kind.number for kind in types.values()}) == 125
    known = {*types, "Cart"}
    for kind in types.values():
        assert kind.receptacles <= known, kind.name


def test_facts_that_suites_rest_on() -> None:
    types = object_types()
    assert types["Mug"].can(Trait.FILLABLE)
    assert types["Mug"].can(Trait.DIRTYABLE)
    assert "CoffeeMachine" in types["Mug"].receptacles
    assert "Floor" not in types["Mug"].receptacles
    assert Trait.BREAKABLE in types["Cup"].sometimes
    assert types["Fridge"].holds is Holds.INSIDE
    assert "Fridge" in MUST_BE_OPEN_TO_PLACE
    assert not types["StoveBurner"].can(Trait.TOGGLEABLE)


@pytest.mark.data
def test_the_table_agrees_with_the_reference() -> None:
    source = reference_data("ithor/thor_object_types.json")
    flags = {
        "pickupable": Trait.PICKUPABLE,
        "moveable": Trait.MOVEABLE,
        "receptacle": Trait.RECEPTACLE,
        "openable": Trait.OPENABLE,
        "toggleable": Trait.TOGGLEABLE,
        "breakable": Trait.BREAKABLE,
        "sliceable": Trait.SLICEABLE,
        "dirtyable": Trait.DIRTYABLE,
        "canFillWithLiquid": Trait.FILLABLE,
        "cookable": Trait.COOKABLE,
        "canBeUsedUp": Trait.USABLE,
        "isHeatSource": Trait.HEAT_SOURCE,
        "isColdSource": Trait.COLD_SOURCE,
    }
    for name, entry in json.loads(source.read_text(encoding="utf-8")).items():
        ours = object_types()[name]
        assert {trait for flag, trait in flags.items() if entry[flag]} == ours.traits, name
        assert set(entry["compatible_receptacles"]) == ours.receptacles, name
