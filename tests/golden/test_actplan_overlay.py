"""The overlay's tables fit the published files, all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from env_service.suites.actplan.activity import Pattern
from env_service.suites.actplan.overlay.lint import definitions, lint_files
from env_service.suites.actplan.overlay.understand import (
    all_assertions,
    apply,
    circumstances,
    corrections,
    has_same_goal,
    mended,
    same_goal,
    understand,
)
from env_service.suites.actplan.task import ActPlanTask, Variant
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem, check_names, unbound
from env_service.worlds.activity.lint_findings import Check
from tests.support.data import reference_data

ABSENT = (
    *(Check.CYCLE, Check.EMPTY_CATEGORY, Check.EMPTY_ROOM, Check.IMPOSSIBLE_GOAL),
    *(Check.IMPOSSIBLE_PART, Check.MANY_AGENTS, Check.MISFIT, Check.MISSPELT_ROOM),
    *(Check.NO_AGENT, Check.NOTHING_TO_DO, Check.REPEATED_FACT, Check.REPEATED_OBJECT),
    *(Check.UNKNOWN_ROOM, Check.UNPLACED, Check.UNREADABLE_ASSERTION, Check.WRONG_ARITY),
)
"""What a writer's own definitions may have, and no published one has."""


@pytest.fixture(scope="module")
def folder() -> Path:
    return reference_data("actplan/bddl/activity_definitions")


def read(folder: Path, activity: str, number: int) -> Problem:
    path = folder / activity / f"problem{number}.bddl"
    return read_problem(path.read_text(encoding="utf-8"), str(path))


def counterfactuals(folder: Path) -> set[str]:
    return {path.parent.name for path in folder.glob("*/task_description_1.txt")}


def test_every_correction_changes_its_file_and_leaves_nothing_unknown(folder: Path) -> None:
    for each in corrections():
        published = read(folder, each.activity, each.problem)
        assert apply(each, published) != published, f"{each.activity}/{each.problem}"
        check_names(mended(published, each.activity, each.problem))


def test_with_corrections_every_problem_can_be_decided(folder: Path) -> None:
    defects: Counter[bool] = Counter()
    for variant in Variant:
        for path in folder.glob(f"*/problem{variant.number}.bddl"):
            text = path.read_text(encoding="utf-8")
            task = ActPlanTask(str(path), path.parent.name, variant, text, "")
            for mend in (True, False):
                defects[mend] += len(understand(task, corrections=mend).defects)
    assert (defects[True], defects[False]) == (0, 2)


def test_every_counterfactual_is_classified(folder: Path) -> None:
    assert circumstances().keys() == counterfactuals(folder)


def test_the_same_goals_are_those_of_the_files(folder: Path) -> None:
    found = {
        name
        for name in counterfactuals(folder)
        if same_goal(read(folder, name, 0), read(folder, name, 1))
    }
    assert len(found) == 25
    assert found == {name for name in counterfactuals(folder) if has_same_goal(name)}


def test_assertions_name_things_that_their_problems_have(folder: Path) -> None:
    for name, assertions in all_assertions().items():
        published = read(folder, name, 1)
        for problem in (published, mended(published, name, 1)):
            kinds = set(problem.objects.values())
            for each in assertions:
                if each.goal is not None:
                    assert not list(unbound(each.goal, frozenset(problem.objects))), name
                for pattern in (each.first or Pattern(), each.second or Pattern()):
                    for named in (pattern.targets, pattern.items, pattern.tools):
                        assert not named or kinds & set(named), f"{name}: {named}"


def test_assertions_name_categories_that_are_published_somewhere(folder: Path) -> None:
    known = {
        kind
        for path in folder.glob("*/problem*.bddl")
        for kind in read_problem(path.read_text(encoding="utf-8"), str(path)).objects.values()
    }
    patterns = [
        pattern
        for assertions in all_assertions().values()
        for each in assertions
        for pattern in (each.first or Pattern(), each.second or Pattern())
    ]
    for pattern in patterns:
        assert {*pattern.targets, *pattern.items, *pattern.tools} <= known


def test_the_linter_finds_the_known_defects(folder: Path) -> None:
    found: dict[Check, set[str]] = {check: set() for check in Check}
    for each in lint_files(definitions([folder])):
        path = Path(each.source)
        found[each.check].add(f"{path.parent.name}/{path.stem[-1]}")
    assert found[Check.UNREADABLE] == set()
    assert found[Check.UNKNOWN_NAME] == {
        "chopping_vegetables/2",
        "collect_misplaced_items/0",
        "re-shelving_library_books/0",
    }
    assert found[Check.DROPPED_GOAL] == {"bottling_fruit/2", "cleaning_microwave_oven/1"}
    assert found[Check.UNUSED_VARIABLE] == {
        "assembling_gift_baskets/1",
        "putting_dishes_away_after_cleaning/0",
        "putting_dishes_away_after_cleaning/1",
    }
    assert found[Check.MISNAMED_VARIABLE] == {"cleaning_closet/1"}
    assert len(found[Check.WRONG_CATEGORY]) == 4
    assert len(found[Check.OTHER_NAME]) == 68
    assert len(found[Check.NO_DESCRIPTION]) == 13
    assert found[Check.UNUSED_OBJECT] == {
        "collect_misplaced_items/0",
        "re-shelving_library_books/0",
    }
    assert found[Check.CONTRADICTION] == {"washing_floor/0", "washing_floor/1"}
    assert not any(found[each] for each in ABSENT)
    assert found[Check.SAME_DEFINITION] == {"packing_picnics/1"}
    assert found[Check.SAME_DESCRIPTION] == {"re-shelving_library_books/1"}


def test_few_of_them_are_left_once_they_are_mended(folder: Path) -> None:
    left = {each.check for each in lint_files(definitions([folder]), corrected=True)}
    assert not left & {Check.UNKNOWN_NAME, Check.DROPPED_GOAL, Check.UNUSED_VARIABLE}
