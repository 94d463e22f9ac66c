from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import ReleaseMemory
from env_service.suites.asgard.actions.handler import Situation
from env_service.suites.asgard.actions.handlers import HANDLERS
from env_service.suites.asgard.rules import PAPER, UPSTREAM, Rules
from env_service.suites.asgard.wording import Reason, Refusal
from tests.unit.suites.asgard.builders import room, thing


def check(
    verb: Verb,
    kind: str,
    *things: dict[str, Any],
    held: str = "",
    rules: Rules = UPSTREAM,
    memory: ReleaseMemory | None = None,
) -> Refusal | None:
    view = room(*things, held=held)
    item = view.first(kind)
    assert item is not None
    return HANDLERS[verb].check(Situation(view, rules, memory or ReleaseMemory()), item)


def message(*args: Any, **kwargs: Any) -> str:
    refusal = check(*args, **kwargs)
    return "" if refusal is None else refusal.message


def test_every_action_has_a_handler():
    assert set(HANDLERS) == set(Verb)


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        (Verb.PICKUP, "Cannot pick up Mug_0123abcd as it is not visible."),
        (Verb.OPEN, "Cannot open Mug_0123abcd as it is not visible."),
        (Verb.CLOSE, "Cannot close Mug_0123abcd as it is not visible."),
        (Verb.CLEAN, "Cannot clean Mug_0123abcd as it is not visible."),
        (Verb.EMPTY, "Cannot empty Mug_0123abcd as it is not visible."),
        (Verb.DRINK, "Cannot drink from the Mug_0123abcd as it is not visible."),
        (Verb.SLICE, "Cannot slice Mug_0123abcd as it is not visible."),
        (Verb.SPRAY, "Cannot spray Mug_0123abcd as it is not visible."),
        (Verb.TOGGLE_ON, "Cannot toggle Mug_0123abcd as it is not visible."),
    ],
)
def test_nothing_is_done_to_what_is_not_seen(verb: Verb, words: str):
    refusal = check(verb, "Mug", thing("Mug", visible=False))
    assert refusal == Refusal(Reason.NOT_VISIBLE, words)


def test_what_lies_in_a_thing_makes_it_visible():
    plate = thing("Plate", visible=False, receptacleObjectIds=["Fork"])
    assert message(Verb.PICKUP, "Plate", plate, thing("Fork", parentReceptacles=["Plate"])) == ""


def test_pickup_asks_for_a_free_hand_before_anything_else():
    words = message(Verb.PICKUP, "Mug", thing("Mug", visible=False), thing("Fork"), held="Fork")
    assert words == "Cannot pick up Mug_0123abcd while holding Fork_0123abcd."


def test_pickup_refuses_what_is_shut_in_or_fixed():
    fridge = thing("Fridge", openable=True, receptacleObjectIds=["Egg"], pickupable=False)
    egg = thing("Egg", parentReceptacles=["Fridge"])
    assert message(Verb.PICKUP, "Egg", fridge, egg) == (
        "Cannot pick up Egg_0123abcd as it is in a closed container."
    )
    assert message(Verb.PICKUP, "Egg", {**fridge, "isOpen": True}, egg) == ""
    assert message(Verb.PICKUP, "Fridge", fridge, egg) == (
        "You cannot pick up object of type Fridge_0123abcd as it is not pickupable."
    )


def test_put_checks_hand_sight_dirt_door_and_fit_in_that_order():
    cabinet = thing("Cabinet", openable=True, isDirty=True, visible=False)
    fork = thing("Fork")
    told = [message(Verb.PUT, "Cabinet", cabinet, fork)]
    for change in ({}, {"visible": True}, {"isDirty": False}, {"isOpen": True}):
        cabinet |= change
        told.append(message(Verb.PUT, "Cabinet", cabinet, fork, held="Fork"))
    assert told == [
        "No object held.",
        "Cannot PUT in Cabinet_0123abcd as it is not visible.",
        "Cannot PUT in Cabinet_0123abcd as it is dirty.",
        "Cannot PUT in Cabinet_0123abcd as it is closed. Open it first.",
        "Cannot PUT Fork_0123abcd in Cabinet_0123abcd as they are not compatible.",
    ]
    assert message(Verb.PUT, "Cabinet", cabinet, thing("Plate"), held="Plate") == ""


def test_doors_are_openable_and_not_yet_as_asked():
    door = thing("Fridge", openable=True)
    assert message(Verb.OPEN, "Mug", thing("Mug")) == "Mug_0123abcd is not openable."
    assert message(Verb.OPEN, "Fridge", door) == ""
    assert message(Verb.CLOSE, "Fridge", door) == "Fridge_0123abcd is already closed."
    door["isOpen"] = True
    assert message(Verb.OPEN, "Fridge", door) == "Fridge_0123abcd is already open."
    assert message(Verb.CLOSE, "Fridge", door) == ""


def sink(*, on: bool = True) -> list[dict[str, Any]]:
    basin = thing("SinkBasin", (0, 0.8, 0), receptacleObjectIds=["Plate"], pickupable=False)
    faucet = thing("Faucet", (0, 1.0, 0.1), isToggled=on, pickupable=False)
    return [basin, faucet, thing("DishSponge"), thing("Fork")]


def test_dishes_are_cleaned_in_the_sink_under_water_with_a_sponge():
    plate = thing("Plate", (0, 0.8, 0), parentReceptacles=["SinkBasin"], isDirty=True)
    outside = thing("Bowl", isDirty=True)
    assert message(Verb.CLEAN, "Plate", plate, *sink(on=False), held="DishSponge") == (
        "Cannot clean Plate_0123abcd as the faucet is not turned on."
    )
    assert message(Verb.CLEAN, "Bowl", outside, *sink(), held="DishSponge") == (
        "Bowl_0123abcd must be in the SinkBasin to clean"
    )
    assert message(Verb.CLEAN, "Plate", plate, *sink(), held="Fork") == (
        "Cannot clean Plate_0123abcd without holding a sponge."
    )
    assert message(Verb.CLEAN, "Plate", plate, *sink(), held="DishSponge") == ""


def test_the_paper_looks_at_the_faucet_of_the_sink_the_release_at_the_first():
    plate = thing("Plate", (0, 0.8, 0), parentReceptacles=["SinkBasin"], isDirty=True)
    far = thing(
        "Faucet", (5, 1, 0), objectId="far", name="Faucet_far", isToggled=True, pickupable=False
    )
    other = thing("SinkBasin", (5, 0.8, 0), objectId="other", name="SinkBasin_b")
    things = [plate, far, *sink(on=False), other]
    assert message(Verb.CLEAN, "Plate", *things, held="DishSponge") == ""
    assert "faucet is not turned on" in message(
        Verb.CLEAN, "Plate", *things, held="DishSponge", rules=PAPER
    )


def test_a_mirror_is_sprayed_and_then_wiped():
    mirror, cloth = thing("Mirror", pickupable=False), thing("Cloth")
    sprayed = ReleaseMemory(sprayed={"Mirror_0123abcd"})
    elsewhere = ReleaseMemory(sprayed={"Sink_0123abcd"})
    unsprayed = "Cannot clean Mirror_0123abcd without having sprayed it first."
    assert message(Verb.CLEAN, "Mirror", mirror, cloth, held="Cloth") == unsprayed
    assert message(Verb.CLEAN, "Mirror", mirror, cloth, memory=sprayed) == (
        "Cannot clean Mirror_0123abcd without holding a cloth."
    )
    assert message(Verb.CLEAN, "Mirror", mirror, cloth, held="Cloth", memory=sprayed) == ""
    assert message(Verb.CLEAN, "Mirror", mirror, cloth, held="Cloth", memory=elsewhere) == ""
    assert unsprayed == message(
        Verb.CLEAN, "Mirror", mirror, cloth, held="Cloth", memory=elsewhere, rules=PAPER
    )


def test_drinking_takes_a_filled_vessel_in_the_hand():
    mug = thing("Mug", isFilledWithLiquid=True, fillLiquid="coffee")
    other = thing("Cup")
    unheld = "Cannot drink from the Mug_0123abcd without holding it."
    assert message(Verb.DRINK, "Mug", mug, other) == unheld
    assert message(Verb.DRINK, "Mug", mug, other, held="Cup") == ""
    assert message(Verb.DRINK, "Mug", mug, other, held="Cup", rules=PAPER) == unheld
    assert message(Verb.DRINK, "Mug", mug, held="Mug", rules=PAPER) == ""
    assert message(Verb.DRINK, "Mug", thing("Mug"), held="Mug") == (
        "Mug_0123abcd is not filled with liquid."
    )
    assert message(Verb.EMPTY, "Mug", thing("Mug")) == "Mug_0123abcd is not filled with liquid."


def test_food_is_sliced_on_a_countertop_with_a_knife():
    knife, butter = thing("Knife"), thing("ButterKnife")
    counter = thing("CounterTop", pickupable=False)
    apple = thing("Apple", (0, 0.9, 0), parentReceptacles=["CounterTop"])
    in_bowl = {**apple, "parentReceptacles": ["Bowl", "CounterTop"]}
    on_floor = thing("Apple", (0, 0.1, 0))
    misplaced = "Cannot slice Apple_0123abcd as it is not on a countertop."
    things = (counter, thing("Bowl"), knife, butter)
    assert message(Verb.SLICE, "Apple", in_bowl, *things, held="Knife") == misplaced
    assert message(Verb.SLICE, "Apple", on_floor, *things, held="Knife") == misplaced
    assert message(Verb.SLICE, "Apple", apple, *things) == (
        "Cannot slice Apple_0123abcd without holding a knife."
    )
    assert message(Verb.SLICE, "Apple", apple, *things, held="Knife") == ""
    assert message(Verb.SLICE, "Apple", apple, *things, held="ButterKnife") == ""
    assert message(Verb.SLICE, "Apple", apple, *things, held="ButterKnife", rules=PAPER) != ""


def test_an_egg_is_cracked_in_a_pan_by_the_paper_and_anywhere_by_the_release():
    egg, pan = thing("Egg", (0, 0.1, 0)), thing("Pan")
    assert message(Verb.SLICE, "Egg", egg, pan) == ""
    assert message(Verb.SLICE, "Egg", egg, pan, rules=PAPER) == (
        "Cannot slice Egg_0123abcd as it is not in a pan."
    )
    egg["parentReceptacles"] = ["Pan"]
    assert message(Verb.SLICE, "Egg", egg, pan, rules=PAPER) == ""


def test_what_was_sliced_is_not_sliced_nor_found_again():
    apple = thing("Apple", visible=False, isSliced=True)
    assert message(Verb.SLICE, "Apple", apple) == "Apple_0123abcd is already sliced."
    refusal = check(Verb.FIND, "Apple", apple)
    assert refusal is not None
    assert refusal.message == "Object is already sliced"
    assert refusal.code is OutcomeCode.UNKNOWN_OBJECT


def test_spraying_takes_a_spray_bottle():
    bottle = thing("SprayBottle")
    assert message(Verb.SPRAY, "Mirror", thing("Mirror"), bottle) == (
        "Cannot spray Mirror_0123abcd without holding a spray bottle."
    )
    assert message(Verb.SPRAY, "Mirror", thing("Mirror"), bottle, held="SprayBottle") == ""


@pytest.mark.parametrize(
    ("mug", "words"),
    [
        (None, "as it contains no objects."),
        ({"objectType": "Cup"}, "as it contains a Cup."),
        ({"isFilledWithLiquid": True, "isDirty": True}, "as the mug is not empty."),
        ({"isDirty": True}, "as the mug is dirty."),
        ({}, ""),
    ],
)
def test_a_coffee_machine_takes_a_clean_empty_mug(mug: dict[str, Any] | None, words: str):
    machine = thing("CoffeeMachine", pickupable=False)
    inside = [] if mug is None else [thing("Mug", parentReceptacles=["CoffeeMachine"], **mug)]
    told = message(Verb.TOGGLE_ON, "CoffeeMachine", machine, *inside)
    assert told == (f"Cannot toggle CoffeeMachine_0123abcd {words}" if words else "")


def test_a_faucet_is_not_opened_on_food():
    basin = thing("SinkBasin", pickupable=False)
    plate = thing("Plate", parentReceptacles=["SinkBasin"])
    egg = thing("Egg", parentReceptacles=["SinkBasin"])
    faucet = thing("Faucet", pickupable=False)
    assert message(Verb.TOGGLE_ON, "Faucet", faucet, basin, plate) == ""
    assert message(Verb.TOGGLE_ON, "Faucet", faucet, basin, plate, egg) == (
        "Cannot toggle Faucet_0123abcd as SinkBasin contains a Egg."
    )


def test_a_microwave_runs_closed_and_a_television_by_its_remote():
    assert message(Verb.TOGGLE_ON, "Microwave", thing("Microwave", isOpen=True)) == (
        "Cannot toggle Microwave_0123abcd as it is open."
    )
    set_, remote = thing("Television", isToggled=True), thing("RemoteControl")
    told = "Cannot toggle Television_0123abcd without holding a remote control."
    assert message(Verb.TOGGLE_OFF, "Television", set_, remote) == told
    assert message(Verb.TOGGLE_OFF, "Television", set_, remote, held="RemoteControl") == ""
    assert message(Verb.TOGGLE_ON, "Television", set_, remote) == (
        "Cannot toggle Television_0123abcd as it is already on."
    )


def test_a_burner_is_as_its_knob_and_needs_a_pan_by_the_paper_alone():
    burner = thing("StoveBurner", pickupable=False)
    knob = thing("StoveKnob", controlledObjects=["StoveBurner"], isToggled=True)
    pan = thing("Pan", parentReceptacles=["StoveBurner"])
    assert message(Verb.TOGGLE_ON, "StoveBurner", burner, knob).endswith("as it is already on.")
    off = {**knob, "isToggled": False}
    assert message(Verb.TOGGLE_OFF, "StoveBurner", burner, off).endswith("as it is already off.")
    assert message(Verb.TOGGLE_ON, "StoveBurner", burner, off) == ""
    bare = check(Verb.TOGGLE_ON, "StoveBurner", burner, off, rules=PAPER)
    assert bare is not None
    assert bare.reason is Reason.EMPTY
    assert message(Verb.TOGGLE_ON, "StoveBurner", burner, off, pan, rules=PAPER) == ""
    one = replace(PAPER, burner_without_pan=True)
    assert message(Verb.TOGGLE_ON, "StoveBurner", burner, off, rules=one) == ""
