"""The world `activity` on the published definitions."""

import pytest

from env_service.worlds.activity.bddl.expressions import evaluate
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from env_service.worlds.activity.categories import is_known
from env_service.worlds.activity.state import Reading
from env_service.worlds.activity.world import ActivityWorld
from tests.support.data import reference_data


@pytest.fixture(scope="module")
def problems():
    folder = reference_data("actplan/bddl/activity_definitions")
    return {
        f"{path.parent.name}/{path.stem[-1]}": read_problem(path.read_text("utf-8"), str(path))
        for path in sorted(folder.glob("*/problem*.bddl"))
    }


def test_every_published_category_is_in_the_table(problems):
    categories = {each for problem in problems.values() for each in problem.objects.values()}
    assert len(categories) == 253
    assert [each for each in categories if not is_known(each)] == []


@pytest.mark.parametrize("reading", Reading)
def test_no_published_goal_is_reached_before_anything_is_done(problems, reading):
    reached = [
        name
        for name, problem in problems.items()
        if _compiles(problem)
        and evaluate(problem.goal, problem.objects, ActivityWorld(problem).reader(reading))
    ]
    assert reached == []


@pytest.mark.parametrize("reading", Reading)
def test_every_fact_of_an_opening_holds_at_the_opening(problems, reading):
    for name, problem in problems.items():
        world = ActivityWorld(problem)
        for each in problem.init:
            if each.positive and all(term in problem.objects for term in each.atom.terms[:1]):
                assert world.holds(each.atom, reading), (name, each)


def _compiles(problem):
    try:
        check_names(problem)
    except BddlError:
        return False
    return True
