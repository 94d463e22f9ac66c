from __future__ import annotations

import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.alfred.rules import EXACT, STRICT_LOTA
from env_service.suites.alfred.skills.steps import Cause
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, place, thing
from tests.unit.suites.alfred.skills.playing import does, robot


def test_find_teleports_to_the_nearest_place_and_looks_at_nine_tenths_of_the_angle():
    world = PaperWorld([thing("Mug", (2.1, 0.9, 1.0))])
    result = does(robot(world), "find a mug")
    assert result.worked
    _, given = world.calls[-1]
    assert given["position"]["x"] == 2.0
    assert given["rotation"]["y"] == pytest.approx(5.71, abs=0.01)
    assert given["horizon"] == pytest.approx(0.9 * 33.88, abs=0.01)
    assert given["standing"] is True


def test_find_tilts_no_further_than_the_simulator_allows():
    world = PaperWorld([thing("Mug", (2.0, 0.0, 0.05))])
    does(robot(world), "find a mug")
    assert world.horizon == 60.0


def test_find_stays_where_the_object_is_near_and_visible():
    world = PaperWorld([thing("Mug", (0.0, 0.9, 0.9))])
    assert does(robot(world), "find a mug").worked
    assert world.calls == []


def test_find_takes_the_next_place_where_the_nearest_is_not_free():
    world = PaperWorld([thing("Mug", (2.1, 0.9, 1.0))], blocked=frozenset({2.0, 2.5}))
    assert does(robot(world), "find a mug").worked
    assert world.place[0] == 1.5


def test_find_fails_where_no_place_is_free_or_nothing_is_there():
    world = PaperWorld([thing("Mug", (2.1, 0.9, 1.0))], refused={"Teleport": "no"})
    told = does(robot(world), "find a mug")
    assert (told.message, told.cause) == ("Cannot move to Mug", Cause.NOT_REACHED)
    assert told.code is OutcomeCode.PHYSICALLY_BLOCKED
    told = does(robot(world), "find a counter top")
    assert (told.message, told.cause) == ("Cannot find CounterTop", Cause.NO_SUCH_OBJECT)
    assert told.code is OutcomeCode.UNKNOWN_OBJECT


def test_find_tries_twenty_places_at_most():
    floor = tuple((0.1 * k, 0.9, 0.0) for k in range(40))
    world = PaperWorld([thing("Mug", (9, 1, 1))], floor=floor, refused={"Teleport": "no"})
    does(robot(world), "find a mug")
    assert world.names().count("Teleport") == 20


@pytest.mark.parametrize(("rules", "stands_at"), [(EXACT, 1.4), (STRICT_LOTA, 0.0)])
def test_exact_rules_go_on_to_all_places_in_reach_once_twenty_show_nothing(rules, stands_at):
    floor = tuple((0.05 * k, 0.9, 0.0) for k in range(40))
    card = thing("CreditCard", (0.0, 0.1, 0.0), visible=False)
    world = PaperWorld([card], floor=floor, seen_from={card["objectId"]: [floor[28][0]]})
    assert does(robot(world, rules), "find a credit card").worked
    assert world.place[0] == pytest.approx(stands_at)


def test_exact_rules_try_no_place_from_which_nothing_can_be_seen():
    floor = tuple((0.05 * k, 0.9, 0.0) for k in range(60))
    card = thing("CreditCard", (0.0, 0.1, 0.0), visible=False)
    world = PaperWorld([card], floor=floor)
    does(robot(world), "find a credit card")
    assert max(given["position"]["x"] for name, given in world.calls if name == "Teleport") <= 1.5
    assert world.place[0] == 0.0


@pytest.mark.parametrize(("rules", "stands_at"), [(EXACT, 1.5), (STRICT_LOTA, 2.0)])
def test_exact_rules_look_for_a_place_from_which_the_object_is_seen(rules, stands_at):
    mug = thing("Mug", (2.1, 0.9, 1.0), visible=False)
    world = PaperWorld([mug], seen_from={mug["objectId"]: [1.5, 0.0]})
    assert does(robot(world, rules), "find a mug").worked
    assert world.place[0] == stands_at


def test_what_is_seen_from_nowhere_is_found_at_the_nearest_place():
    mug = thing("Mug", (2.1, 0.9, 1.0), visible=False)
    world = PaperWorld([mug])
    assert does(robot(world), "find a mug").worked
    assert world.place[0] == 2.0


@pytest.mark.parametrize("kind", ["Fridge", "Microwave"])
def test_a_fridge_and_a_microwave_are_approached_from_the_front(kind):
    floor = ((2.0, 0.9, 0.2), (0.5, 0.9, 1.0), (3.5, 0.9, 1.0))
    item = place(kind, (2.0, 1.0, 1.0), rotation=(0.0, 90.0, 0.0))
    world = PaperWorld([item], floor=floor)
    assert does(robot(world), f"find a {kind.lower()}").worked
    assert world.place[0] == 3.5


def test_without_a_free_place_in_front_any_will_do():
    floor = ((2.0, 0.9, 0.2), (3.5, 0.9, 1.0))
    item = place("Fridge", (2.0, 1.0, 1.0), rotation=(0.0, 90.0, 0.0))
    world = PaperWorld([item], floor=floor, blocked=frozenset({3.5}))
    assert does(robot(world), "find a fridge").worked
    assert world.place[0] == 2.0


@pytest.mark.parametrize(("rules", "moves"), [(EXACT, True), (STRICT_LOTA, False)])
def test_what_is_near_but_behind_glass_is_gone_round_by_exact_rules(rules, moves):
    mug = thing("Mug", (0.0, 0.9, 0.9), isInteractable=False)
    world = PaperWorld([mug])
    assert does(robot(world, rules), "find a mug").worked
    assert bool(world.calls) is moves
