"""Published solutions of AsgardBench, played action by action in the household world.

`benchmarks/asgard_solutions.py` plays all 58, by both versions of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.suites.asgard.rules import PAPER, UPSTREAM
from tests.support.asgard_solutions import Solved, play, published
from tests.support.data import reference_data
from tests.support.whole import sample

pytestmark = pytest.mark.data

AS_PLACED = (
    "clean_mirror__FloorPlan406_V1",
    "putaway__Silverware_FloorPlan11_V1-Spoon Fork",
    "turn_on_tv__FloorPlan202_V1",
)
"""Solutions that fit the room as it is placed."""

TIDY = (
    "coffee__has_coffee_FloorPlan12_V1",
    "cook__Bread_FloorPlan2_V1",
    "cook__Egg_FloorPlan13_V1",
    "distribute__Tomato_Plate_FloorPlan12_V1",
)
"""Solutions that fit a tidy room."""

PLAYED = sample(TIDY, [name for name in TIDY if name.startswith("cook__Egg")])
"""`test_asgard_expert` distributes things."""


@pytest.fixture(scope="module")
def solutions() -> Mapping[str, Solved]:
    pack = reference_data("asgard/solutions.json").parent
    return {each.plan.name: each for each in published(pack)}


@pytest.fixture(scope="module")
def floor_plans() -> Path:
    return reference_data("ithor/dev/data/objects_metadata_samples")


def test_solutions_are_published_of_58_plans(solutions):
    assert len(solutions) == 58


@pytest.mark.parametrize("rules", [PAPER, UPSTREAM], ids=["paper", "upstream"])
@pytest.mark.parametrize("name", AS_PLACED)
def test_a_solution_reaches_its_goals(name, rules, solutions, floor_plans):
    replayed = play(solutions[name], rules, floor_plans, tidy=False)
    assert [each.name for each in replayed.progress.conditions if not each.met] == []
    assert [(each.step, each.done.message) for each in replayed.failed] == []


@pytest.mark.parametrize("name", PLAYED)
def test_a_solution_reaches_its_goals_where_nothing_is_in_the_way(name, solutions, floor_plans):
    replayed = play(solutions[name], UPSTREAM, floor_plans, tidy=True)
    assert [each.name for each in replayed.progress.conditions if not each.met] == []
