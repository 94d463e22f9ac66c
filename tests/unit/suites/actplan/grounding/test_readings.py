"""Each name that is not read literally is told, with how well it fits."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.grounding.grounder import ground
from env_service.suites.actplan.plans.plan_reader import Repair, read_plan
from tests.unit.suites.actplan.grounding.homes import home


def readings(text: str, level: Level = Level.RELAXED) -> dict[str, Repair]:
    plan = ground(home(), read_plan(text), level)
    return {each.text: each for each in plan.repairs if each.score is not None}


@pytest.mark.parametrize(
    "text", ["grab(candle_1) grab(candle_2)", "walk_to(sofa)", "grab(Rag)", "walk_to(kitchen)"]
)
def test_literal_names_are_not_told(text: str) -> None:
    assert readings(text) == {}


@pytest.mark.parametrize(
    ("text", "told", "score"),
    [
        ("walk_to(fridge)", "fridge as electric refrigerator 1", 0.85),
        ("grab(bascket)", "bascket as basket 1", 0.25),
        ("grab(candle_box)", "candle_box as candle 1", 0.5),
        ("walk_to(lounge)", "lounge as living room", 0.85),
        (
            "walk_to(countertop)",
            "countertop as a countertop that the definition does not list",
            0.5,
        ),
        ("walk_to(table_in_kitchen)", "table_in_kitchen as table 1", 1.0),
        ("grab(dry_stained_sock)", "dry_stained_sock as sock 2", 1.0),
        ("grab(rag_from_garage)", "rag_from_garage as rag 1", 0.25),
        ("grab(frozen_rag)", "frozen_rag as rag 1", 1 / 3),
        ("walk_to(sofa) clean(stain)", "stain as sofa 1", 0.5),
        ("switch_on(water)", "water as sink 1", 0.5),
        ("grab(candles)", "candles as candle 1 and candle 2", 1.0),
        ("grab(three_candles)", "three_candles as candle 1 and candle 2", 2 / 3),
    ],
)
def test_every_other_name_is_told_with_its_score(text: str, told: str, score: float) -> None:
    found = readings(text)
    assert list(found) == [told]
    assert found[told].score == pytest.approx(score)


def test_a_second_name_of_one_thing_is_told_too() -> None:
    found = readings("walk_to(table_2) grab(rag) clean(table_2, cleaning_cloth)")
    assert list(found) == ["cleaning_cloth as rag 1"]


def test_a_number_that_another_thing_has_is_told() -> None:
    (found,) = readings("walk_to(sofa) grab(sock_7)").values()
    assert found.text == "sock_7 as sock 1"
    assert found.described == f"sock_7 as sock 1 ({found.score:.2f})"
    assert found.score is not None and found.score < 0.8
