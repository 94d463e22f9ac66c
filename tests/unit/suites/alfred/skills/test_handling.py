from __future__ import annotations

import pytest

from env_service.suites.alfred.skills.steps import Cause
from env_service.suites.alfred.skills.vocabulary import SKILLS
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, place, thing
from tests.unit.suites.alfred.skills.playing import UNSEEN, does, robot


def test_open_steps_aside_three_times():
    world = PaperWorld([place("Fridge", (0, 1, 1), openable=True)])
    world.refused["OpenObject"] = "Agent is blocking the door"
    told = does(robot(world), "open the fridge")
    assert (told.message, told.cause) == ("Open action failed", Cause.BLOCKED)
    assert world.names().count("OpenObject") == 4
    moves = [each for each in world.names() if each.startswith("Move")]
    assert moves == ["MoveBack", "MoveBack", "MoveRight", "MoveLeft", "MoveLeft"]


@pytest.mark.parametrize(("said", "action", "message"), [
    ("close the fridge", "CloseObject", "Close action failed"),
    ("turn on the microwave", "ToggleObjectOn", "Turn on action failed"),
    ("turn off the microwave", "ToggleObjectOff", "Turn off action failed"),
    ("slice the apple", "SliceObject", "Slice action failed"),
])  # fmt: skip
def test_the_others_try_once(said, action, message):
    items = [
        place("Fridge", (0, 1, 1), openable=True),
        place("Microwave", (0, 1, 1), openable=True, toggleable=True),
        thing("Apple", (0, 1, 1)),
    ]
    world = PaperWorld(items, refused={action: UNSEEN})
    told = does(robot(world), said)
    assert (told.message, told.cause) == (message, Cause.NOT_VISIBLE)
    assert world.names() == [action]


@pytest.mark.parametrize("said", [each for each in SKILLS if not each.startswith(("find", "put"))])
def test_what_is_not_there_is_told(said):
    told = does(robot(PaperWorld([])), said)
    if said != "done":
        assert told.message.startswith("Cannot find ")
        assert told.cause is Cause.NO_SUCH_OBJECT


def test_what_cannot_be_switched_is_not_taken_for_a_switch():
    dead = thing("FloorLamp", (0, 0.9, 0.5), toggleable=False)
    lamp = thing("FloorLamp", (3.0, 0.9, 0.5), toggleable=True)
    world = PaperWorld([dead, lamp])
    assert does(robot(world), "turn on the floor lamp").object_id == lamp["objectId"]


def test_a_microwave_heats_as_it_is_turned_on_and_a_fridge_cools_as_it_is_closed():
    potato, egg = thing("Potato", (0, 1, 1)), thing("Egg", (0, 1, 1))
    microwave = place("Microwave", (0, 1, 1), potato, openable=True, toggleable=True)
    fridge = place("Fridge", (0, 1, 1), egg, openable=True)
    player = robot(PaperWorld([microwave, fridge, potato, egg]))
    does(player, "open the fridge", "turn off the microwave")
    assert player.marks.heated == player.marks.cooled == frozenset()
    does(player, "close the fridge", "turn on the microwave")
    assert player.marks.heated == {potato["objectId"]}
    assert player.marks.cooled == {egg["objectId"]}


def test_a_tap_cleans_what_is_in_the_nearest_basin_in_view():
    near, far, unseen = (thing("Fork", (x, 1, 1)) for x in (1.0, 3.0, 0.0))
    basins = [
        place("SinkBasin", (3.0, 1, 1), far),
        place("SinkBasin", (1.0, 1, 1), near),
        {**place("SinkBasin", (0.0, 1, 1), unseen), "visible": False},
    ]
    tap = thing("Faucet", (0.0, 1.1, 1), toggleable=True)
    player = robot(PaperWorld([*basins, tap, near, far, unseen]))
    assert does(player, "turn on the faucet").worked
    assert player.marks.cleaned == {near["objectId"]}


def test_a_tap_without_a_basin_in_view_is_a_failure():
    world = PaperWorld([thing("Faucet", (0, 1, 1), toggleable=True)])
    told = does(robot(world), "turn on the faucet")
    assert (told.message, told.cause) == ("Turn on action failed", Cause.NOT_VISIBLE)
    assert world.items[0]["isToggled"]
