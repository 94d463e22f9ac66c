"""Plans are read from whatever agents write."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.plans.plan_reader import (
    MAX_NAMES,
    MAX_STEPS,
    PlanProblem,
    ReadPlan,
    RepairKind,
    read_plan,
)
from env_service.worlds.activity.actions import Verb


def said(plan: ReadPlan) -> list[str]:
    return [f"{step.word}({', '.join(step.arguments)})" for step in plan.steps]


def problems(plan: ReadPlan) -> list[PlanProblem]:
    return [each.problem for each in plan.diagnoses]


def repairs(plan: ReadPlan) -> list[RepairKind]:
    return [each.kind for each in plan.repairs]


@pytest.mark.parametrize(
    "text",
    [
        "walk_to(table)\ngrab(cup_1)\nplace_inside(sink, cup_1)\n",
        "walk_to(table) grab(cup_1) place_inside(sink, cup_1) ",
        "1. walk_to(table)\n2. grab(cup_1)\n3) place_inside( sink ,cup_1 )",
        "Step 1: walk_to(table)\r\nStep 2: grab(cup_1)\r\nStep 3: place_inside(sink, cup_1)",
        "```python\nwalk_to('table')\ngrab(\"cup_1\")\nplace_inside(target=sink, item=cup_1);\n```",
        "- **walk_to(table)**\n- `grab(cup_1)`\n- place_inside(sink, cup_1)",
        '["walk_to(table)", "grab(cup_1)", "place_inside(sink, cup_1)"]',
        '{"plan": [{"action": "walk_to", "object": "table"}, {"action": "grab", "args": ["cup_1"]},'
        ' {"action": "place_inside", "object": "cup_1", "target": "sink"}]}',
        "action(walk_to(table)) action(grab(cup_1)) action(place_inside(sink, cup_1))",
    ],
)
def test_a_plan_means_the_same_however_it_is_laid_out(text: str) -> None:
    plan = read_plan(text)
    assert [step.verb for step in plan.steps] == [Verb.WALK_TO, Verb.GRAB, Verb.PLACE_INSIDE]
    assert [step.arguments for step in plan.steps] == [("table",), ("cup_1",), ("sink", "cup_1")]
    assert [step.number for step in plan.steps] == [1, 2, 3]
    assert not plan.diagnoses


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_text_is_no_plan(text: str) -> None:
    assert problems(read_plan(text)) == [PlanProblem.EMPTY]


def test_prose_alone_is_no_plan_and_is_told_how_steps_look() -> None:
    plan = read_plan("I would first go to the kitchen (the large one) and clean the stove(s).")
    assert not plan.steps
    assert PlanProblem.NO_STEPS in problems(plan)
    assert "place_inside(basket, candle)" in plan.diagnoses[-1].text


def test_words_between_steps_are_left_out_and_kept_as_residue() -> None:
    plan = read_plan("Here is my plan:\nwalk_to(sink) - go there first\ngrab(cup)\nThat is all.")
    assert said(plan) == ["walk_to(sink)", "grab(cup)"]
    assert plan.residue == ("Here is my plan", "go there first", "That is all")
    assert problems(plan) == [PlanProblem.PROSE] * 3
    assert [each.step for each in plan.diagnoses] == [0, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "grab(cup) // then wipe(it) with care\nopen(sink)",
        "grab(cup) /* wipe(it) */ open(sink)",
        "grab(cup) # wipe(it)\nopen(sink)",
        "grab(cup) // we assume that this helps open(sink)",
    ],
)
def test_comments_are_no_steps(text: str) -> None:
    plan = read_plan(text)
    assert said(plan) == ["grab(cup)", "open(sink)"]
    assert repairs(plan) == [RepairKind.COMMENT_CUT]


def test_a_step_whose_parenthesis_never_closes_counts_and_is_told() -> None:
    plan = read_plan("walk_to(table\ngrab(cup)\nplace_inside(sink, cup")
    assert said(plan) == ["walk_to(table)", "grab(cup)", "place_inside(sink, cup)"]
    assert problems(plan) == [PlanProblem.HALF_STEP] * 2
    assert [each.step for each in plan.diagnoses] == [1, 3]


def test_an_open_parenthesis_swallows_no_step_after_it_on_the_same_line() -> None:
    plan = read_plan("place_on_top(floor, trap walk_to(bed) grab(trap)")
    assert said(plan) == ["place_on_top(floor, trap)", "walk_to(bed)", "grab(trap)"]
    assert problems(plan) == [PlanProblem.HALF_STEP]


def test_a_loop_that_says_how_often_is_unrolled() -> None:
    plan = read_plan("repeat(grab(candy), place_inside(stocking, candy), 3) close(cabinet)")
    assert [step.verb for step in plan.steps] == [Verb.GRAB, Verb.PLACE_INSIDE] * 3 + [Verb.CLOSE]
    assert [step.number for step in plan.steps] == list(range(1, 8))
    assert repairs(plan) == [RepairKind.LOOP_UNROLLED]


def test_a_repair_is_told_of_the_step_that_it_made() -> None:
    plan = read_plan("action(grab(cup)) open(box) action(close(box)) repeat(wait(), 2)")
    assert [(each.kind, each.step) for each in plan.repairs] == [
        (RepairKind.WRAPPER_OPENED, 1),
        (RepairKind.WRAPPER_OPENED, 3),
        (RepairKind.LOOP_UNROLLED, 4),
    ]


def test_steps_that_are_to_be_repeated_so_often_are() -> None:
    plan = read_plan("grab(cup)\nplace_inside(box, cup)\nRepeat steps 1-2 two more times")
    assert [step.verb for step in plan.steps] == [Verb.GRAB, Verb.PLACE_INSIDE] * 3


@pytest.mark.parametrize(
    "text",
    [
        "repeat(grab(cup), place_inside(box, cup))",
        "grab(cup) place_inside(box, cup) ... (Repeat steps 1-2 for all remaining cups)",
        "For each cup: grab(cup) place_inside(box, cup)",
    ],
)
def test_a_loop_that_does_not_say_how_often_counts_as_written(text: str) -> None:
    plan = read_plan(text)
    assert [step.verb for step in plan.steps] == [Verb.GRAB, Verb.PLACE_INSIDE]
    assert problems(plan) == [PlanProblem.LOOP]


def test_of_a_condition_the_first_branch_is_taken() -> None:
    plan = read_plan(
        "if is_dirty(pen):\n    clean(pen)\nelse:\n    grab(pen)\n    close(box)\nwalk_to(table)"
    )
    assert said(plan) == ["clean(pen)", "walk_to(table)"]
    assert problems(plan) == [PlanProblem.BRANCH]
    assert "grab(pen)" in plan.residue


def test_a_place_in_a_places_arguments_says_more_of_it() -> None:
    plan = read_plan("place_on_top(floor, trap, next_to(toilet))")
    assert [step.verb for step in plan.steps] == [Verb.PLACE_ON_TOP, Verb.PLACE_NEXT_TO]
    assert plan.steps[0].arguments == ("floor", "trap")


def test_a_bare_wait_is_a_step() -> None:
    plan = read_plan("switch_on(stove) Wait until tea is ready switch_off(stove) wait")
    assert [step.verb for step in plan.steps] == [
        Verb.SWITCH_ON,
        Verb.WAIT,
        Verb.SWITCH_OFF,
        Verb.WAIT,
    ]


def test_an_unknown_verb_is_a_step_that_nobody_understands() -> None:
    plan = read_plan("frobnicate(cup)")
    assert plan.steps[0].verb is None
    assert problems(plan) == [PlanProblem.UNKNOWN_VERB]
    assert "walk_to" in plan.diagnoses[0].text
    assert "other" not in plan.diagnoses[0].text


def test_only_other_spellings_of_verbs_count_as_repairs() -> None:
    plan = read_plan("switch-on(tap) switch_on(tap) Switch-On(tap) turn on(tap) place on top(a, b)")
    assert [step.verb for step in plan.steps] == [Verb.SWITCH_ON] * 4 + [Verb.PLACE_ON_TOP]
    assert [each.step for each in plan.repairs] == [3, 4, 5]


def test_a_plan_of_thousands_of_steps_is_cut_with_a_word_of_it() -> None:
    plan = read_plan("\n".join(f"grab(cup_{number})" for number in range(5_000)))
    assert len(plan.steps) == MAX_STEPS
    assert problems(plan) == [PlanProblem.TOO_LONG]
    assert str(MAX_STEPS) in plan.diagnoses[0].text


def test_loops_in_loops_do_not_explode() -> None:
    plan = read_plan("repeat(" * 8 + "grab(a)" + ", 9999)" * 8)
    assert len(plan.steps) == MAX_STEPS


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "grab(" * 20_000,
        "repeat(" * 20_000,
        "a" * 100_000,
        "//" * 50_000,
        "x " * 90_000,
        "[" * 50_000,
        '{"a":' * 5_000,
        "/*" * 50_000,
        ")" * 50_000,
        "grab(a, " * 9_000,
        "\x00\ufffe☃(",
    ],
)
def test_nonsense_is_read(text: str) -> None:
    assert len(read_plan(text).steps) <= MAX_STEPS


@pytest.mark.parametrize(
    "text",
    [
        "grab(cup)\n" + "-" * 60 + "\ngrab(cup)",
        "* " * 60 + "\n" + "#" * 200_000,
        " " * 300_000 + "x",
        "grab_" * 70_000 + "(cup)",
        "action(" * 40_000 + "grab(cup)" + ")" * 40_000,
        "open(a)\n" * 900 + "repeat steps 1-900 9999 times\n" * 1_000,
    ],
)
def test_rules_indents_and_long_words_do_not_hang_the_reader(text: str) -> None:
    assert len(read_plan(text).steps) <= MAX_STEPS


def test_a_plan_that_names_thousands_of_objects_is_cut_with_a_word_of_it() -> None:
    plan = read_plan("open(cup)\n" + "clean({})\n".format(", ".join(["cup"] * MAX_NAMES)))
    assert len(plan.steps) == 1
    assert problems(plan) == [PlanProblem.TOO_LONG]
    assert str(MAX_NAMES) in plan.diagnoses[0].text


def test_no_message_repeats_a_word_of_any_length() -> None:
    plan = read_plan(f"{'x' * 90_000}(cup)\ngrab({'cup_' * 20_000})\ngrab_{'cup_' * 900}(cup)")
    assert len(plan.steps) == 3
    assert len(repr(plan)) < 5_000
