from __future__ import annotations

from typing import Any

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.actions.body import ReleaseMemory
from env_service.suites.asgard.actions.object_choice import Candidates, Resolver
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import Goal, LocationGoal
from env_service.suites.asgard.rules import PAPER, UPSTREAM, Rules
from env_service.suites.asgard.wording import Reason, Refusal
from tests.unit.suites.asgard.builders import room, thing

# The agent of `room` stands at (1, 0.9, -2) and looks along +x.
AHEAD, RIGHT, LEFT = (3.0, 0.9, -2.0), (1.0, 0.9, -4.0), (1.0, 0.9, 0.0)


def named(kind: str, mark: str, *args: Any, **changes: Any) -> dict[str, Any]:
    return thing(kind, *args, objectId=f"{kind}|{mark}", name=f"{kind}_{mark}", **changes)


def found(
    view: AsgardView,
    verb: Verb,
    kind: str,
    *,
    rules: Rules = UPSTREAM,
    goals: tuple[Goal, ...] = (),
) -> Candidates | Refusal:
    return Resolver(rules, goals, ReleaseMemory()).candidates(verb, kind, view)


def order(
    view: AsgardView,
    verb: Verb,
    kind: str,
    memory: ReleaseMemory | None = None,
    rules: Rules = UPSTREAM,
) -> list[str]:
    resolver = Resolver(rules, (), memory or ReleaseMemory())
    candidates = resolver.candidates(verb, kind, view)
    assert isinstance(candidates, Candidates)
    ordered = resolver.ordered(verb, candidates, candidates.instances, view)
    return [each["name"].split("_")[1] for each in ordered]


def cabinets() -> AsgardView:
    return room(
        named("Cabinet", "left", LEFT),
        named("Cabinet", "ahead", AHEAD, visible=False),
        named("Cabinet", "right", RIGHT),
    )


def test_a_type_that_is_not_there_has_no_candidates():
    refusal = found(cabinets(), Verb.FIND, "AppleSliced")
    assert refusal == Refusal(
        Reason.NO_SUCH_OBJECT,
        "No candidate objects for action FIND with specifier Types: AppleSliced",
    )


def test_visible_ones_come_first_then_those_clockwise_from_the_gaze():
    assert order(cabinets(), Verb.FIND, "Cabinet") == ["right", "left", "ahead"]


def test_of_two_in_one_direction_the_nearer_comes_first():
    view = room(named("Mug", "far", (4.0, 0.9, -2.0)), named("Mug", "near", (2.0, 0.9, -2.0)))
    assert order(view, Verb.PICKUP, "Mug") == ["near", "far"]


def test_the_container_opened_last_is_preferred_by_what_doors_do():
    memory = ReleaseMemory(last_opened={"Cabinet": "Cabinet_ahead"})
    for verb in (Verb.PUT, Verb.OPEN, Verb.CLOSE):
        assert order(cabinets(), verb, "Cabinet", memory)[0] == "ahead"
    assert order(cabinets(), Verb.FIND, "Cabinet", memory)[0] == "right"


def test_the_instance_of_before_is_preferred_but_for_put_unless_just_found():
    memory = ReleaseMemory(resolved={"Cabinet": "Cabinet_left"}, last_verb=Verb.CLOSE)
    assert order(cabinets(), Verb.OPEN, "Cabinet", memory)[0] == "left"
    assert order(cabinets(), Verb.PUT, "Cabinet", memory)[0] == "right"
    memory.last_verb = Verb.FIND
    assert order(cabinets(), Verb.PUT, "Cabinet", memory)[0] == "left"


def test_find_forgets_what_it_does_not_come_to():
    memory = ReleaseMemory()
    memory.conclude(Verb.PICKUP, "Mug", "Mug_a")
    memory.conclude(Verb.PUT, "Mug", None)
    assert memory.resolved == {"Mug": "Mug_a"}
    memory.conclude(Verb.FIND, "Mug", None)
    assert memory.resolved == {}


def test_smaller_slices_come_first():
    view = room(
        named("AppleSliced", "big", size=(0.2, 0.2, 0.2)),
        named("AppleSliced", "small", size=(0.1, 0.1, 0.1), visible=False),
    )
    assert order(view, Verb.PICKUP, "AppleSliced") == ["small", "big"]


def test_the_burner_under_the_pan_is_the_only_one_to_turn_on():
    view = room(
        named("StoveBurner", "a", (0, 0.9, 0), (0.3, 0.1, 0.3), pickupable=False),
        named("StoveBurner", "b", (1, 0.9, 0), (0.3, 0.1, 0.3), pickupable=False),
        thing("Pan", (1.02, 1.0, 0), (0.3, 0.1, 0.3)),
    )
    assert order(view, Verb.TOGGLE_ON, "StoveBurner") == ["b"]
    assert len(order(view, Verb.FIND, "StoveBurner")) == 2


def served() -> AsgardView:
    return room(
        thing("Plate", receptacleObjectIds=["Potato|done"]),
        named("Potato", "done", parentReceptacles=["Plate"]),
        named("Potato", "raw"),
    )


def test_what_serves_a_goal_is_locked_by_the_release_alone():
    goals = (LocationGoal("Potato", "Plate"),)
    locked = found(served(), Verb.PICKUP, "Potato", goals=goals)
    free = found(served(), Verb.PICKUP, "Potato", goals=goals, rules=PAPER)
    assert isinstance(locked, Candidates)
    assert isinstance(free, Candidates)
    assert locked.instances == ("Potato|raw",)
    assert free.instances == ("Potato|done", "Potato|raw")


def test_where_all_serve_a_goal_none_is_left():
    view = room(
        thing("Plate", receptacleObjectIds=["Potato"]),
        thing("Potato", parentReceptacles=["Plate"]),
    )
    refusal = found(view, Verb.PICKUP, "Potato", goals=(LocationGoal("Potato", "Plate"),))
    assert refusal == Refusal(
        Reason.USED_BY_GOAL, "All Types: Potato are already being used to fullfill a goal"
    )


def test_surfaces_stand_in_for_each_other_while_they_are_seen():
    counter, table = thing("CounterTop"), thing("DiningTable", visible=False)
    hidden = found(room(counter, table), Verb.PUT, "CounterTop")
    seen = found(room(counter, {**table, "visible": True}), Verb.PUT, "CounterTop")
    alone = found(room(counter), Verb.PUT, "CounterTop")
    aliases = [each.aliases for each in (hidden, seen, alone) if isinstance(each, Candidates)]
    assert aliases == [(), ("DiningTable",), None]


def test_where_nothing_is_locked_what_serves_a_goal_is_meant_last():
    goals = (LocationGoal("Potato", "Plate"),)
    resolver = Resolver(PAPER, goals, ReleaseMemory())
    candidates = found(served(), Verb.PICKUP, "Potato", goals=goals, rules=PAPER)
    assert isinstance(candidates, Candidates)
    ordered = resolver.ordered(Verb.PICKUP, candidates, candidates.instances, served())
    assert [each["objectId"] for each in ordered] == ["Potato|raw", "Potato|done"]
