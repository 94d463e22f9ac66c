"""The published definitions are read, with the counts that were taken of them by other means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from env_service.worlds.activity.bddl.expressions import (
    Exists,
    Expression,
    ForAll,
    ForN,
    ForPairs,
    evaluate,
    within,
)
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem, check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from env_service.worlds.activity.bddl.writer import write_problem
from tests.support.data import reference_data

REFUSED = {
    "chopping_vegetables/2": "dish.n.01",
    "collect_misplaced_items/0": "walker.n.04_1",
    "re-shelving_library_books/0": "plaything.n.01_2",
}
"""What does not compile, and the name that is to blame (docs/actplan-making.md, Lint)."""


def published() -> Iterator[tuple[str, str]]:
    folder: Path = reference_data("actplan/bddl/activity_definitions")
    for path in sorted(folder.glob("*/problem*.bddl")):
        yield f"{path.parent.name}/{path.stem[-1]}", path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def problems() -> dict[str, Problem]:
    return {name: read_problem(text, name) for name, text in published()}


def test_all_published_problems_are_read_with_their_objects(problems: dict[str, Problem]) -> None:
    assert len(problems) == 169
    assert sum(len(each.objects) for each in problems.values()) == 2095
    assert len({kind for each in problems.values() for kind in each.objects.values()}) == 253


def test_their_quantifiers_are_those_that_were_counted(problems: dict[str, Problem]) -> None:
    parts = (part for each in problems.values() for part in within(each.goal))
    counted = Counter(type(part) for part in parts)
    kinds: tuple[type[Expression], ...] = (ForAll, Exists, ForPairs, ForN)
    assert [counted[kind] for kind in kinds] == [193, 59, 45, 8]


def test_three_are_refused_and_each_says_which_name(problems: dict[str, Problem]) -> None:
    refused = {}
    for name, problem in problems.items():
        try:
            check_names(problem, name)
        except BddlError as error:
            refused[name] = error.what
    assert refused.keys() == REFUSED.keys()
    assert all(f'"{REFUSED[name]}"' in what for name, what in refused.items())


def test_what_is_written_is_read_as_the_same(problems: dict[str, Problem]) -> None:
    for name, problem in problems.items():
        assert read_problem(write_problem(problem), name) == problem


def test_unused_variables_leave_what_the_body_names(problems: dict[str, Problem]) -> None:
    baskets = problems["assembling_gift_baskets/1"]
    cheeses = [f"cheese.n.01_{number} basket.n.01_{number}" for number in range(1, 5)]
    needed = ["candle.n.01_1 basket.n.01_1", "bow.n.08_1 basket.n.01_1", *cheeses]
    for missing in ("", *needed):
        inside = {tuple(each.split()) for each in needed if each != missing}
        met = evaluate(baskets.goal, baskets.objects, lambda atom, held=inside: atom.terms in held)
        assert met is (not missing)
