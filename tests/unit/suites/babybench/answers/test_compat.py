import pytest

from env_service.suites.babybench.answers import compat
from env_service.suites.babybench.answers.readings import AnswerProblem
from env_service.worlds.babyai.omnibot.records import PlannedSubgoal, SubgoalName

STATE = "The agent's final state is: "
PLAN = "The LLM's action sequence is: "


def state(text):
    value = compat.read_state(text).value
    return None if value is None else str(value)


def test_the_first_state_counts_even_in_a_thought():
    text = f"<think>{STATE}((9, 9), 0)</think>{STATE}((3, 4), 1)"
    assert state(text) == "((9, 9), 0)"


def test_without_the_pattern_the_first_three_integers_count():
    assert state(f"{STATE}at x=3, y=-4 (of 8)") == "((3, -4), 8)"


@pytest.mark.parametrize(
    "text", ["((3, 4), 1)", f"{STATE}((3, 4), east)", f"{STATE.strip()}\n((3, 4), 1)"]
)
def test_a_state_that_is_not_found_has_no_published_result(text):
    reading = compat.read_state(text)
    assert reading.value is None
    assert reading.published_error.startswith("ValueError: ")


def test_a_number_beyond_all_grids_is_no_state():
    assert compat.read_state(f"{STATE}(({'9' * 5000}, 4), 1)").problem is AnswerProblem.BAD_NUMBER


def test_the_sign_of_a_number_is_no_digit():
    assert state(f"{STATE}((-123456789, 4), 1)") == "((-123456789, 4), 1)"


def test_a_full_stop_costs_the_last_action():
    reading = compat.read_actions(f"{PLAN}Left, jump, done, forward.")
    assert reading.value.actions == ("left", "done")
    assert reading.value.unknown == ("jump", "forward.")
    assert reading.problem is None


def test_a_plan_that_is_not_found_is_empty_and_scored():
    reading = compat.read_actions("left, forward")
    assert reading.value.actions == ()
    assert (reading.problem, reading.published_error) == (AnswerProblem.NO_ANSWER, "")


@pytest.mark.parametrize("read", [compat.read_state, compat.read_actions, compat.read_subgoals])
def test_no_text_is_told_from_a_text_without_an_answer(read):
    assert read(" \n").problem is AnswerProblem.EMPTY
    assert read("Hm.").problem is AnswerProblem.NO_ANSWER


def test_a_plan_of_nothing_known_is_unreadable():
    assert compat.read_actions(f"{PLAN}[left]").problem is AnswerProblem.UNREADABLE


def test_a_cell_however_far_outside_the_grid_is_a_cell():
    value = compat.read_subgoals("<START>\n(GoNextToSubgoal, (12345678901,-2))\n<END>").value
    assert value.subgoals[0].position == (12345678901, -2)


def test_subgoals_stand_between_tags_of_their_own_lines():
    reading = compat.read_subgoals("<start>\n(GoNextToSubgoal, (-3,4))\nPickupSubgoal\n<END>\nx")
    assert reading.value.subgoals == (
        PlannedSubgoal(SubgoalName.GO_NEXT_TO, (-3, 4)),
        PlannedSubgoal(SubgoalName.PICKUP),
    )


@pytest.mark.parametrize(
    "block",
    ["(opensubgoal)", "1. (OpenSubgoal)", "(OpenSubgoal)\n\n(DropSubgoal)", "(OpenSubgoal),"],
)
def test_one_bad_line_spoils_the_whole_answer(block):
    reading = compat.read_subgoals(f"<START>\n(DropSubgoal)\n{block}\n<END>")
    assert reading.problem is AnswerProblem.UNREADABLE
    assert reading.published_error.startswith("ValueError: ")


def test_explore_is_accepted_and_a_place_of_open_kept_but_unused():
    value = compat.read_subgoals("<START>\n(ExploreSubgoal)\n(OpenSubgoal, (3,4))\n<END>").value
    assert [subgoal.name for subgoal in value.subgoals] == [SubgoalName.EXPLORE, SubgoalName.OPEN]


def test_a_missing_end_costs_the_last_character():
    assert compat.extract_subgoals("<START>\n(OpenSubgoal)") == "(OpenSubgoal"
