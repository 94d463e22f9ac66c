"""Pictures of the household world, to the last bit: their SHA-256 in household_pictures.json.

A picture that is not as it was fails with the command that draws it: look at it, before and after
the change. ``UPDATE_GOLDEN=1 pytest tests/golden/test_household_pictures.py`` then writes all
numbers anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.worlds.household.gallery.objects import object_picture, states_of
from env_service.worlds.household.gallery.scenes import scene_picture
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from env_service.worlds.household.scene.library import standard_library

DRAW = "HOUSEGUEST_RENDERER=soft houseguest render"
NUMBERS = Path(__file__).parent / "household_pictures.json"
PORTRAIT, VIEW = 128, 160
"""Pixels of a side."""

OBJECTS = (
    ("AlarmClock", "as it is", 2), ("Apple", "as it is", 3), ("ArmChair", "as it is", 6),
    ("Bed", "as it is", 1), ("Bed", "dirty", 2), ("Book", "open", 2), ("Bottle", "broken", 1),
    ("Bowl", "dirty", 2), ("Bowl", "water", 1), ("BreadSliced", "cooked", 1),
    ("Cabinet", "half open", 1), ("Candle", "on", 2), ("CellPhone", "on", 1),
    ("Chair", "as it is", 1), ("Cloth", "dirty", 5), ("CoffeeMachine", "on", 3),
    ("Cup", "wine", 2), ("DeskLamp", "on", 3), ("Egg", "broken", 2), ("EggCracked", "cooked", 1),
    ("Faucet", "on", 3), ("FloorLamp", "as it is", 4), ("Fridge", "open", 2),
    ("HousePlant", "as it is", 4), ("Kettle", "open", 3), ("Knife", "as it is", 1),
    ("Laptop", "broken", 1), ("Lettuce", "as it is", 1), ("Microwave", "open", 1),
    ("Mirror", "broken", 1), ("Mug", "coffee", 3), ("Mug", "dirty", 2),
    ("Newspaper", "as it is", 1), ("Painting", "as it is", 3), ("Pan", "dirty", 1),
    ("PaperTowelRoll", "used up", 1),
    ("Plate", "broken", 2), ("Pot", "as it is", 4), ("PotatoSliced", "as it is", 1),
    ("ShowerHead", "on", 1), ("Statue", "as it is", 3), ("StoveBurner", "on", 1),
    ("TeddyBear", "as it is", 1), ("Television", "on", 2), ("Toaster", "on", 4),
    ("Vase", "broken", 3), ("WineBottle", "wine", 2),
)  # fmt: skip
"""Type, state and variant."""

SCENES = (
    ("household-kitchen-1", "corner"), ("household-kitchen-2", "above"),
    ("household-living-room-1", "corner"), ("household-bedroom-1", "corner"),
    ("household-bathroom-1", "corner"), ("household-bathroom-2", "other-corner"),
)  # fmt: skip
"""Built-in room and view."""


@pytest.fixture(scope="module")
def renderer() -> SoftRenderer:
    return SoftRenderer()


def digest(picture: NDArray[np.uint8]) -> str:
    return hashlib.sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()


def compare(part: str, drawn: Mapping[str, str]) -> None:
    """Compares numbers by the commands that draw the pictures; with UPDATE_GOLDEN=1 takes them
    over."""
    held = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.exists() else {}
    if os.environ.get("UPDATE_GOLDEN") == "1":
        held[part] = dict(drawn)
        NUMBERS.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    expected = held.get(part, {})
    changed = [command for command, number in drawn.items() if expected.get(command) != number]
    assert not changed, "these draw other pictures than before:\n" + "\n".join(changed)
    assert set(expected) == set(drawn)


def test_objects_look_as_they_did(renderer: SoftRenderer) -> None:
    drawn = {}
    for type_name, label, variant in OBJECTS:
        state = next(each for each in states_of(type_name) if each.label == label)
        picture = object_picture(renderer, type_name, state, variant, PORTRAIT)
        command = f"{DRAW} object {type_name} --state '{label}' --variant {variant}"
        drawn[f"{command} --size {PORTRAIT} --out x.png"] = digest(picture)
    compare("objects", drawn)


def test_rooms_look_as_they_did(renderer: SoftRenderer) -> None:
    library, drawn = standard_library(), {}
    for name, view in SCENES:
        picture = scene_picture(renderer, library.load(name), view, VIEW, VIEW)
        command = f"{DRAW} scene {name} --view {view} --size {VIEW} --out x.png"
        drawn[command] = digest(picture)
    compare("scenes", drawn)
