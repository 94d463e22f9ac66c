"""Texts made to hang or break a reader. A pattern whose time grows with the square of a text
would take minutes here, and the test would be seen to hang."""

import pytest

from env_service.suites.babybench.grading import RULES

LETTERS = 200_000
UNITS = (
    *("(", "((1,", "( ", " ", "\n", " \n", "1", "1,", "-", "#", "`", "```\n", "<", "[<", "[ ' "),
    *("<think>", "</think>", "<START>\n", "<END>", "left ", "left,", "then ", "- 1. ", "step 1 "),
    *("final state is: ((1,2", "action sequence is: left,", "(GoNextToSubgoal, (", "go next to "),
    *("\n\n- left", "left (", "left ((", "left (a) ", "left (()", "\\text ", "1) ", "step "),
)


@pytest.mark.parametrize("scoring", RULES)
@pytest.mark.parametrize("unit", UNITS)
def test_long_and_pathological_texts_are_read_in_no_time(scoring, unit):
    rules, text = RULES[scoring], unit * (LETTERS // len(unit))
    for read in (rules.read_state, rules.read_actions, rules.read_subgoals):
        reading = read(text)
        assert reading.value is not None or reading.problem is not None
