from __future__ import annotations

import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.rules import EXACT, STRICT_LOTA, Rules
from env_service.suites.alfred.skills.steps import Cause, SkillResult
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, place, thing
from tests.unit.suites.alfred.skills.playing import UNSEEN, does, robot, table


def test_a_full_hand_is_told():
    player = robot(PaperWorld([thing("Mug", (0, 0.9, 0.5)), thing("Fork", (0, 0.9, 0.6))]))
    told = does(player, "pick up the fork", "pick up the mug")
    assert (told.message, told.cause) == ("Robot is currently holding Fork", Cause.HAND_FULL)


def test_what_cannot_be_seen_is_told_with_where_it_is():
    mug = thing("Mug", (0, 0.9, 0.5), visible=False)
    shut = place("Cabinet", (0, 0.9, 0.5), mug, openable=True)
    player = robot(PaperWorld([shut, mug], refused={"PickupObject": UNSEEN}))
    told = does(player, "pick up the mug")
    assert told.message == "Mug is not visible because it is in Cabinet"
    assert told.cause is Cause.CLOSED_CONTAINER
    assert told.code is OutcomeCode.PRECONDITION_FAILED


def test_other_refusals_leave_the_hand_empty():
    player = robot(PaperWorld([thing("Mug", (0, 0.9, 0.5))], refused={"PickupObject": UNSEEN}))
    told = does(player, "pick up the mug")
    assert (told.message, told.cause) == ("Robot is not holding any object", Cause.NOT_VISIBLE)
    told = does(player, "pick up the fork")
    assert told.message == "Cannot find Fork to pick up"


def test_put_down_puts_whatever_is_held_in_what_was_found():
    mug, home = thing("Mug", (0, 0.9, 0.5)), table()
    world = PaperWorld([mug, home])
    told = does(robot(world), "pick up the mug", "find a dining table", "put down the fork")
    assert told.worked
    assert (told.object_id, told.receptacle_id) == (mug["objectId"], home["objectId"])
    given = {"objectId": home["objectId"], "forceAction": True, "placeStationary": True}
    assert world.calls[-1] == ("PutObject", given)


def test_a_sink_takes_things_in_its_basin():
    sink = place("Sink", (2.0, 0.9, 1.0))
    basin = place("SinkBasin", (2.0, 0.8, 1.0), objectId=f"{sink['objectId']}|SinkBasin")
    player = robot(PaperWorld([thing("Mug", (0, 0.9, 0.5)), sink, basin]))
    told = does(player, "pick up the mug", "find a sink", "put down the mug")
    assert told.receptacle_id == basin["objectId"]


def test_opening_keeps_the_destination_and_other_steps_forget_it():
    mug = thing("Mug", (0, 0.9, 0.5))
    shelf = place("Cabinet", (2.0, 0.9, 1.0), openable=True)
    player = robot(PaperWorld([mug, shelf]))
    take = ("pick up the mug", "find a cabinet", "open the cabinet")
    assert does(player, *take, "put down the mug").worked
    told = does(player, *take, "close the cabinet", "put down the mug")
    assert (told.message, told.cause) == ("put down failed", Cause.NO_DESTINATION)
    assert player.view.held is None


def test_an_empty_hand_puts_nothing_down():
    player = robot(PaperWorld([table()]))
    told = does(player, "find a dining table", "put down the mug")
    assert (told.message, told.cause) == ("Robot is not holding any object", Cause.HAND_EMPTY)


def _put_in_vain(rules: Rules, **refused: str) -> tuple[PaperWorld, SkillResult]:
    world = PaperWorld([thing("Mug", (0, 0.9, 0.5)), table(2.0), table(3.0), table(3.5)])
    world.refused.update(refused)
    player = robot(world, rules)
    return world, does(player, "pick up the mug", "find a dining table", "put down the mug")


def test_put_down_tries_two_instances_in_seven_postures():
    world, told = _put_in_vain(EXACT, PutObject="No valid positions to place object found")
    assert told.message == "Putting the object on DiningTable failed"
    assert (told.cause, told.code) == (Cause.NO_ROOM, OutcomeCode.PHYSICALLY_BLOCKED)
    tried = [given["objectId"] for name, given in world.calls if name == "PutObject"]
    assert [tried.count(each) for each in dict.fromkeys(tried)] == [7, 7]
    assert world.names().count("MoveLeft") == 16


@pytest.mark.parametrize(("rules", "message", "kept"), [
    (EXACT, "Putting the object on DiningTable failed", True),
    (STRICT_LOTA, "put down failed", False),
])  # fmt: skip
def test_lota_bench_drops_what_it_could_not_put(rules, message, kept):
    world, told = _put_in_vain(rules, PutObject="No valid positions to place object found")
    assert told.message == message
    assert bool(world.held) is kept


@pytest.mark.parametrize(("name", "kept"), [("bed", True), ("dining table", False)])
def test_lota_bench_keeps_hold_after_sixteen_characters(name, kept):
    world = PaperWorld([thing("Mug", (0, 0.9, 0.5))])
    does(robot(world, STRICT_LOTA), "pick up the mug", f"find a {name}", "put down the mug")
    assert bool(world.held) is kept


def test_a_closed_receptacle_is_told_apart():
    world, told = _put_in_vain(EXACT, PutObject="Target openable Receptacle is CLOSED, open it")
    assert told.cause is Cause.CLOSED_CONTAINER
    assert world.names().count("PutObject") == 2


def test_nothing_is_put_where_nothing_is_seen():
    world = PaperWorld([thing("Mug", (0, 0.9, 0.5)), {**table(), "visible": False}])
    told = does(robot(world), "pick up the mug", "find a dining table", "put down the mug")
    assert told.cause is Cause.NOT_VISIBLE
    assert "PutObject" not in world.names()
