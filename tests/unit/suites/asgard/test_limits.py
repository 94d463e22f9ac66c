from dataclasses import replace
from itertools import cycle, islice

import pytest

from env_service.domain.failure import FailureClass
from env_service.suites.asgard.limits import (
    Ending,
    Extension,
    Limits,
    StepLimits,
    Turn,
    repeats,
)
from env_service.suites.asgard.rules import PAPER, UPSTREAM, Rules

SHORT = StepLimits(soft=15, hard=20)
LONG = StepLimits(soft=15, hard=200)


def turn(number, **changes):
    """A turn that succeeds and repeats no other, on a few objects again and again."""
    told = Turn(f"FIND {number}", f"Thing{number % 3}", succeeded=True)
    return replace(told, **changes)


def play(limits, count, **changes):
    """Plays so many turns; the ending and the number of the turn that brought it."""
    for number in range(1, count + 1):
        ending = limits.after(turn(number, **changes), all_met=False)
        if ending is not None:
            return ending, number
    return None, count


@pytest.mark.parametrize(
    ("steps", "soft", "hard"),
    [(4, 15, 20), (10, 15, 20), (11, 16, 22), (25, 37, 50), (33, 49, 66), (107, 160, 214)],
)
def test_limits_follow_from_the_published_solution(steps, soft, hard):
    assert StepLimits.of(steps) == StepLimits(soft, hard)


def test_meeting_all_goals_is_success_before_anything_else():
    limits = Limits(StepLimits(1, 1), PAPER)
    failed = turn(1, succeeded=False)
    assert limits.after(failed, all_met=True) is Ending.SUCCESS
    assert limits.extension is Extension.NONE


@pytest.mark.parametrize(("rules", "last"), [(PAPER, 15), (UPSTREAM, 16)])
def test_a_limit_of_fifteen_steps_ends_after_fifteen_and_after_sixteen_upstream(rules, last):
    limits = Limits(SHORT, rules)
    # No object is new in the last ten steps.
    assert play(limits, 30, object_type="Mug") == (Ending.MAX_STEPS, last)
    assert limits.extension is Extension.NONE


@pytest.mark.parametrize(("rules", "last"), [(PAPER, 20), (UPSTREAM, 21)])
def test_the_hard_limit_ends_whatever_was_reached(rules, last):
    limits = Limits(SHORT, rules)
    assert limits.most_steps == last
    assert play(limits, 30, flags_subgoal=True, reached_goal=True) == (Ending.MAX_STEPS, last)
    assert limits.extension is Extension.HIT_HARD_LIMIT
    assert limits.steps_left == 0


@pytest.mark.parametrize("rules", [PAPER, UPSTREAM])
def test_steps_left_reach_zero_exactly_with_the_last_step(rules):
    limits = Limits(SHORT, rules)
    assert limits.steps_left == 15 + (rules is UPSTREAM)
    left = []
    for number in range(1, 30):
        ending = limits.after(turn(number, reached_goal=True, flags_subgoal=True), all_met=False)
        left.append(limits.steps_left)
        if ending:
            break
    assert left[-1] == 0
    assert min(left[:-1]) >= 1


@pytest.mark.parametrize(("rules", "least"), [(PAPER, 9), (UPSTREAM, 8)])
def test_a_loop_of_more_than_eight_by_the_paper_and_of_eight_upstream(rules, least):
    for texts in (["A"], ["A", "B"], ["A", "B", "A"], ["A", "A", "B", "C"]):
        limits = Limits(StepLimits(100, 100), rules)
        endings = [
            limits.after(Turn(text, None, succeeded=True), all_met=False)
            for text in islice(cycle(texts), len(texts) * least)
        ]
        assert endings == [None] * (len(texts) * least - 1) + [Ending.MAX_REPEATS]


def test_repeats_count_at_the_end_and_without_a_gap():
    assert repeats(["X", *["A"] * 8], 8)
    assert not repeats([*["A"] * 8, "X"], 8)
    assert not repeats([*["A"] * 7, "X", "A"], 8)
    assert not repeats(["A", "B"] * 7, 8)
    assert repeats(["X", *["A", "B"] * 8], 8)
    assert not repeats([], 8)


@pytest.mark.parametrize("rules", [PAPER, UPSTREAM])
def test_ten_failures_in_a_row_end(rules):
    limits = Limits(StepLimits(100, 100), rules)
    for number in range(9):
        assert limits.after(turn(number, succeeded=False), all_met=False) is None
    assert limits.after(turn(9), all_met=False) is None
    for number in range(10, 19):
        assert limits.after(turn(number, succeeded=False), all_met=False) is None
    assert limits.after(turn(19, succeeded=False), all_met=False) is Ending.MAX_FAILURES


def test_a_loop_of_failures_is_a_loop():
    limits = Limits(StepLimits(100, 100), PAPER)
    bad = Turn("None None", None, succeeded=False)
    endings = [limits.after(bad, all_met=False) for _ in range(9)]
    assert endings[-1] is Ending.MAX_REPEATS


def ending_with(rules, **marked):
    """Plays until the end on one object, with marks at some turns: ``mark_5={…}``."""
    limits = Limits(LONG, rules)
    for number in range(1, 60):
        changes = marked.get(f"mark_{number}", {})
        ending = limits.after(turn(number, **{"object_type": "Mug", **changes}), all_met=False)
        if ending:
            return number, limits.extension
    raise AssertionError("it never ended")


def test_a_goal_reached_in_the_last_ten_steps_extends_by_ten():
    reached = {"reached_goal": True}
    assert ending_with(PAPER, mark_15=reached) == (25, Extension.EXTENDED)
    assert ending_with(PAPER, mark_6=reached) == (25, Extension.EXTENDED)
    assert ending_with(PAPER, mark_5=reached) == (15, Extension.NONE)
    assert ending_with(PAPER, mark_9=reached, mark_20=reached) == (35, Extension.EXTENDED)


def test_by_the_released_code_a_cut_long_ago_extends_once_and_leaves_no_trace():
    flagged = {"flags_subgoal": True}
    assert ending_with(UPSTREAM, mark_2=flagged) == (26, Extension.NONE)
    assert ending_with(PAPER, mark_2=flagged) == (15, Extension.NONE)
    tagged = replace(UPSTREAM, subgoal_extensions_untagged=False)
    assert ending_with(tagged, mark_2=flagged) == (26, Extension.EXTENDED)


def test_by_the_released_code_a_goal_reached_is_nothing():
    assert ending_with(UPSTREAM, mark_16={"reached_goal": True}) == (16, Extension.NONE)


def test_by_the_paper_the_object_at_the_limit_has_to_be_new():
    new = {"object_type": "Plate"}
    assert ending_with(PAPER, mark_15=new) == (25, Extension.EXTENDED)
    assert ending_with(PAPER, mark_14=new) == (15, Extension.NONE)
    assert ending_with(PAPER, mark_5=new, mark_15=new) == (15, Extension.NONE)
    assert ending_with(PAPER, mark_4=new, mark_15=new) == (25, Extension.EXTENDED)


def test_by_the_released_code_an_object_new_within_ten_steps_is_enough():
    new = {"object_type": "Plate"}
    assert ending_with(UPSTREAM, mark_7=new) == (26, Extension.EXTENDED)
    assert ending_with(UPSTREAM, mark_6=new) == (16, Extension.NONE)
    assert ending_with(UPSTREAM, mark_6=new, mark_16=new) == (16, Extension.NONE)


def test_a_refused_action_employs_nothing_but_by_the_released_code():
    failed = {"object_type": "Plate", "succeeded": False}
    assert ending_with(PAPER, mark_15=failed)[0] == 15
    assert ending_with(Rules(failed_actions_employ_objects=True), mark_15=failed)[0] == 25
    assert ending_with(UPSTREAM, mark_16=failed)[0] == 26


def test_a_turn_without_an_object_is_not_new():
    assert ending_with(UPSTREAM, mark_16={"object_type": None})[0] == 16


def test_endings_have_the_houses_words():
    assert Ending.SUCCESS.failure is None
    assert [each.failure for each in Ending][1:] == [
        FailureClass.MAX_REPEATS,
        FailureClass.MAX_FAILURES,
        FailureClass.MAX_STEPS,
    ]
