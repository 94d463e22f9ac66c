"""The conditions of the seven task types, by both rule sets, in houses made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.suites.alfred.goals import count_met, evaluate
from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.rules import EXACT, STRICT_LOTA, Rules
from env_service.suites.alfred.skills.steps import Marks
from env_service.suites.alfred.task import Goal, TaskType

RECEPTACLES = frozenset({"Bowl", "Box", "CounterTop", "Fridge", "Plate", "SinkBasin", "TissueBox"})
LAMPS = frozenset({"DeskLamp", "FloorLamp"})
FIXED = frozenset({"CounterTop", "Desk", "Fridge", "SinkBasin"}) | LAMPS

TOTALS = {
    TaskType.SIMPLE: (1, 2),
    TaskType.TWO: (2, 4),
    TaskType.LOOK: (2, 3),
    TaskType.CLEAN: (3, 4),
    TaskType.HEAT: (3, 4),
    TaskType.COOL: (3, 4),
    TaskType.MOVABLE: (3, 4),
}
"""Conditions of each type, and of it with slices."""


def thing(object_id: str, *inside: str, **state: Any) -> dict[str, Any]:
    kind = object_id.split("|", maxsplit=1)[0]
    if object_id.count("|") == 2:
        kind = object_id.split("|")[2].split("_", maxsplit=1)[0]
    return {
        "objectId": object_id,
        "objectType": kind,
        "pickupable": kind not in FIXED,
        "receptacle": kind in RECEPTACLES,
        "toggleable": kind in LAMPS,
        "isToggled": False,
        "visible": False,
        "isSliced": False,
        "receptacleObjectIds": list(inside) or None,
        **state,
    }


def house(*things: dict[str, Any], held: str = "") -> AlfredView:
    carried = [{"objectId": held}] if held else []
    return AlfredView({"objects": list(things), "inventoryObjects": carried})


def goal(kind: TaskType, object_type: str = "Apple", **more: Any) -> Goal:
    parts: dict[str, Any] = {"parent": "CounterTop"}
    if kind is TaskType.LOOK:
        parts = {"toggle": "DeskLamp"}
    if kind is TaskType.MOVABLE:
        parts["movable"] = "Plate"
    return Goal(kind, object_type, **{**parts, **more})


def met(
    wanted: Goal, found: AlfredView, marks: Marks | None = None, rules: Rules = EXACT
) -> list[bool]:
    return [each.met for each in evaluate(wanted, found, marks or Marks(), rules)]


@pytest.mark.parametrize("rules", [EXACT, STRICT_LOTA])
@pytest.mark.parametrize("kind", TaskType)
def test_an_empty_house_meets_nothing_and_every_condition_has_a_name(kind, rules):
    for sliced, total in enumerate(TOTALS[kind]):
        found = evaluate(goal(kind, sliced=bool(sliced)), house(), Marks(), rules)
        assert [each.met for each in found] == [False] * total
        assert len({each.name for each in found}) == total
        assert count_met(found) == 0


def test_the_names_are_plain_english():
    wanted = Goal(TaskType.HEAT, "Apple", "DiningTable", sliced=True)
    assert [each.name for each in evaluate(wanted, house(), Marks())] == [
        "a slice of apple is in or on a dining table",
        "a slice of apple was heated",
        "a slice of apple that was heated is in or on a dining table",
        "an apple is sliced",
    ]


@pytest.mark.parametrize("inside", [(), ("Apple|1",), ("Mug|1",)])
def test_simple_asks_for_the_object_in_the_parent(inside):
    found = house(thing("Apple|1"), thing("Mug|1"), thing("CounterTop|1", *inside))
    assert met(goal(TaskType.SIMPLE), found) == ["Apple|1" in inside]


def test_two_asks_for_both_in_one_and_the_same_parent():
    apples = [thing("Apple|1"), thing("Apple|2"), thing("Apple|3")]
    apart = house(*apples, thing("CounterTop|1", "Apple|1"), thing("CounterTop|2", "Apple|2"))
    assert met(goal(TaskType.TWO), apart) == [True, False]
    together = house(*apples, thing("CounterTop|1", "Apple|1", "Apple|2", "Apple|3"))
    assert met(goal(TaskType.TWO), together) == [True, True]


def test_two_slices_of_one_apple_will_do():
    slices = [thing(f"Apple|1|AppleSliced_{k}") for k in range(2)]
    whole = thing("Apple|1", isSliced=True)
    counter = thing("CounterTop|1", *(each["objectId"] for each in slices))
    assert met(goal(TaskType.TWO, sliced=True), house(whole, *slices, counter)) == [True] * 4
    assert met(goal(TaskType.TWO, sliced=True), house(whole, slices[0], counter)) == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("lamp", "held", "expected"),
    [
        ({"isToggled": True, "visible": True}, "Apple|1", [True, True]),
        ({"isToggled": True}, "Apple|1", [True, False]),
        ({"visible": True}, "Mug|1", [False, False]),
        ({"isToggled": True, "visible": True}, "", [False, True]),
    ],
)
def test_look_asks_for_the_object_in_hand_and_a_lit_lamp_in_view(lamp, held, expected):
    found = house(thing("Apple|1"), thing("Mug|1"), thing("DeskLamp|1", **lamp), held=held)
    assert met(goal(TaskType.LOOK), found) == expected


def test_look_means_the_lamp_of_the_goal():
    other = thing("FloorLamp|1", isToggled=True, visible=True)
    assert met(goal(TaskType.LOOK), house(thing("Apple|1"), other, held="Apple|1")) == [True, False]


@pytest.mark.parametrize(
    ("kind", "marks", "word"),
    [
        (TaskType.HEAT, Marks(heated=frozenset({"Apple|1"})), "heated"),
        (TaskType.COOL, Marks(cooled=frozenset({"Apple|1"})), "cooled"),
        (TaskType.CLEAN, Marks(cleaned=frozenset({"Apple|1"})), "cleaned"),
    ],
)
def test_a_treated_object_has_to_be_the_one_in_the_parent(kind, marks, word):
    apples = [thing("Apple|1"), thing("Apple|2")]
    right = house(*apples, thing("CounterTop|1", "Apple|1"))
    wrong = house(*apples, thing("CounterTop|1", "Apple|2"))
    assert met(goal(kind), right, marks) == [True, True, True]
    assert met(goal(kind), wrong, marks) == [True, True, False]
    assert met(goal(kind), right) == [True, False, False]
    assert f"an apple was {word}" in [each.name for each in evaluate(goal(kind), right, marks)]


def test_a_mark_of_another_kind_does_not_count():
    found = house(thing("Apple|1"), thing("CounterTop|1", "Apple|1"))
    marks = Marks(cooled=frozenset({"Apple|1"}), cleaned=frozenset({"Apple|1"}))
    assert met(goal(TaskType.HEAT), found, marks) == [True, False, False]


def test_movable_asks_for_one_that_holds_the_object_and_is_in_the_parent():
    apple = thing("Apple|1")
    apart = house(
        apple, thing("Plate|1", "Apple|1"), thing("Plate|2"), thing("CounterTop|1", "Plate|2")
    )
    assert met(goal(TaskType.MOVABLE), apart) == [True, True, False]
    both = house(apple, thing("Plate|1", "Apple|1"), thing("CounterTop|1", "Apple|1", "Plate|1"))
    assert met(goal(TaskType.MOVABLE), both) == [True, True, True]
    beside = house(apple, thing("Plate|1"), thing("CounterTop|1", "Apple|1", "Plate|1"))
    assert met(goal(TaskType.MOVABLE), beside) == [False, True, False]


def test_a_basin_is_a_receptacle_of_its_own():
    found = house(thing("Apple|1"), thing("Sink|1|SinkBasin", "Apple|1"))
    assert met(goal(TaskType.SIMPLE, parent="SinkBasin"), found) == [True]


def test_a_whole_that_was_sliced_is_no_longer_there():
    whole = thing("Apple|1", isSliced=True)
    found = house(whole, thing("CounterTop|1", "Apple|1"))
    assert met(goal(TaskType.SIMPLE), found) == [False]
    assert met(goal(TaskType.SIMPLE, sliced=True), found) == [False, False]


SUBSTRINGS = [
    ("Pot", "Potato|1", "CounterTop"),
    ("Pen", "Pencil|1", "CounterTop"),
    ("Knife", "ButterKnife|1", "CounterTop"),
    ("Apple", "Apple|1|AppleSliced_1", "CounterTop"),
    ("Mug", "Mug|1", "Box"),
]
"""Goal, what LoTa-Bench takes for it, and the parent of the goal; of the last one the parent."""


@pytest.mark.parametrize(("wanted", "given_id", "parent"), SUBSTRINGS)
def test_lotas_rules_take_parts_of_an_id_for_the_type(wanted, given_id, parent):
    holder = "TissueBox|1" if parent == "Box" else f"{parent}|1"
    found = house(thing(given_id), thing(holder, given_id))
    asked = goal(TaskType.SIMPLE, wanted, parent=parent)
    assert met(asked, found) == [False]
    assert met(asked, found, rules=Rules(substring_goals=True)) == [True]


def contents() -> st.SearchStrategy[list[Sequence[str]]]:
    items = st.sampled_from(["Apple|1", "Apple|2", "Mug|1", "Plate|1"])
    return st.lists(st.lists(items, unique=True), min_size=3, max_size=3)


@given(contents(), st.sets(st.sampled_from(["Apple|1", "Apple|2"])), st.sampled_from(TaskType))
def test_what_the_exact_rules_call_met_lotas_do_too(inside, marked, kind):
    found = house(
        thing("Apple|1"),
        thing("Apple|2"),
        thing("Mug|1"),
        thing("Plate|1", *(each for each in inside[0] if each != "Plate|1")),
        thing("CounterTop|1", *inside[1]),
        thing("CounterTop|2", *inside[2]),
    )
    ids = frozenset(marked)
    marks = Marks(heated=ids, cooled=ids, cleaned=ids)
    exact = evaluate(goal(kind), found, marks, EXACT)
    lota = evaluate(goal(kind), found, marks, STRICT_LOTA)
    assert [each.name for each in exact] == [each.name for each in lota]
    assert all(b.met for a, b in zip(exact, lota, strict=True) if a.met)
    assert len(exact) == TOTALS[kind][0]
