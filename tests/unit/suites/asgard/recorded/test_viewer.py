import pytest

from env_service.suites.asgard.plan_reader import PlanError
from env_service.suites.asgard.recorded.viewer import read_viewer
from tests.support.asgard import NAME, SOLUTION
from tests.support.asgard_recorded import entry, frame, page

SOURCE = "page.html"


def only_problem(*entries):
    """What is wrong with the first of some solutions; a sound one stands behind it."""
    viewer = read_viewer(page(*entries, entry("clean_mirror__Elsewhere_V1")), SOURCE)
    assert [plan.name for plan in viewer.plans] == ["clean_mirror__Elsewhere_V1"]
    (problem,) = viewer.problems
    assert problem.source == SOURCE
    return problem


def test_a_solution_is_read_with_the_picture_from_before_each_step():
    viewer = read_viewer(page(entry()), SOURCE)
    (plan,) = viewer.plans
    assert viewer.problems == ()
    assert (plan.name, plan.description) == (NAME, "Clean the mirror")
    assert [step.command.text for step in plan.steps] == list(SOLUTION)
    assert [step.frame for step in plan.steps] == [frame(n) for n in range(1, 11)]


def test_a_step_without_a_picture_is_still_a_step():
    steps = entry()["steps"]
    steps[2]["image"] = None
    (plan,) = read_viewer(page(entry(steps=steps)), SOURCE).plans
    assert plan.steps[2].frame == ""


@pytest.mark.parametrize("text", ["", "<html></html>", "const PLANS = {}", "const PLANS = 1; []"])
def test_a_page_without_solutions_is_refused(text):
    with pytest.raises(PlanError, match=r"page\.html: has no list behind"):
        read_viewer(text, SOURCE)


@pytest.mark.parametrize("key", ["name", "task_description", "steps"])
def test_a_key_that_is_missing_is_named_with_its_place(key):
    broken = entry()
    del broken[key]
    problem = only_problem(broken)
    assert problem.where == "PLANS[0]"
    assert key in problem.problem


def test_an_unknown_phrase_is_told_with_its_step():
    steps = entry()["steps"]
    steps[3]["action"] = "Juggle Mirror"
    problem = only_problem(entry(steps=steps))
    assert problem.where == "PLANS[0].steps[3].action"
    assert "Juggle Mirror" in problem.problem


@pytest.mark.parametrize("image", ["../secret.webp", "static/plan_images/a/b.webp", "x.png", 7])
def test_a_picture_that_lies_elsewhere_is_refused(image):
    steps = entry()["steps"]
    steps[0]["image"] = image
    assert only_problem(entry(steps=steps)).where == "PLANS[0].steps[0].image"


@pytest.mark.parametrize("name", [f"{NAME} [9]", NAME, f"{NAME} []"])
def test_a_name_that_does_not_count_the_steps_is_refused(name):
    assert "PLANS[0]" in only_problem(entry(name) | {"name": name}).where


def test_an_empty_solution_is_refused():
    assert "at least one step" in only_problem(entry(actions=())).problem


def test_a_solution_that_is_there_twice_is_taken_once():
    viewer = read_viewer(page(entry(), entry()), SOURCE)
    assert len(viewer.plans) == 1
    assert "twice" in str(viewer.problems[0])


def test_damaged_json_is_located_and_the_solutions_behind_it_are_there():
    text = page(entry("first__A_V1"), entry("second__B_V1"), entry("third__C_V1"))
    at = text.index('"steps"', text.index("second"))
    viewer = read_viewer(text[:at] + "%" + text[at:], SOURCE)
    assert [plan.name for plan in viewer.plans] == ["first__A_V1", "third__C_V1"]
    (problem,) = viewer.problems
    assert "PLANS[1], line 3, column" in str(problem)


def test_a_page_that_breaks_off_keeps_what_came_before():
    text = page(entry("first__A_V1"), entry("second__B_V1"))
    viewer = read_viewer(text[: text.index("second") + 90], SOURCE)
    assert [plan.name for plan in viewer.plans] == ["first__A_V1"]
    assert len(viewer.problems) == 1


def test_a_number_beyond_reason_is_no_crash():
    viewer = read_viewer('const PLANS = [{"name": ' + "9" * 6000 + "}];", SOURCE)
    assert viewer.plans == ()
    assert "PLANS[0], line 1: cannot be read" in str(viewer.problems[0])


def test_a_page_that_is_nested_beyond_reason_is_no_crash():
    viewer = read_viewer("const PLANS = [" + "[" * 100_000, SOURCE)
    assert viewer.plans == ()
    assert "nested" in str(viewer.problems[0])
