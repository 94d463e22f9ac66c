import pytest

from env_service.suites.babybench.answers.fixed import read_subgoals
from env_service.suites.babybench.answers.readings import AnswerProblem


def shown(text):
    """The subgoals as short texts."""
    return [(each.name.value.removesuffix("Subgoal"), each.position) for each in subgoals(text)]


def subgoals(text):
    return read_subgoals(text).value.subgoals


@pytest.mark.parametrize(
    "block",
    [
        "<START>\n(GoNextToSubgoal, (3, 4))\n(PickupSubgoal)\n<END>",
        "<START>\n1. (GoNextToSubgoal, (3,4))\n\n2. (PickupSubgoal),\n<END>",
        "```\n<start>\n- GoNextToSubgoal((3.0, 4))  # the key\n- pickup\n</end>\n```",
        "<START> (GoNextToSubgoal, 3, 4) (PickupSubgoal) <END>",
        "**<START>**\n(gonexttosubgoal to the key at (3, 4))\n(Pick_Up_Subgoal)\n**<END>**",
        "<START>\n(GoNextToSubgoal to thing 2 of 5 at (3, 4))\n(PickupSubgoal)\n<END>",
        "<START>\nGo next to (3, 4)\nPickup\n",
        "<START>\nStep 1: GoNextTo (3, 4)\nStep 2: Pickup\n<END>",
        "The tags are <START> and <END>.\n<START>\n(GoNextToSubgoal, (3,4))\n(PickupSubgoal)<END>",
        "<START>\n(DropSubgoal)\n<END>\nno:\n<START>\n(GoNextToSubgoal, (3,4)), (PickupSubgoal)",
        "(GoNextToSubgoal, (3,4))\n(PickupSubgoal)\nThen I drop it.",
    ],
)
def test_subgoals_are_read_however_they_are_written(block):
    assert shown(block) == [("GoNextTo", (3, 4)), ("Pickup", None)]


def test_lines_that_cannot_be_done_are_left_out_and_told_of():
    bad = ("(FlySubgoal)", "(GoNextToSubgoal)", "(GoNextToSubgoal, (3.5, 4))")
    value = read_subgoals("\n".join(["<START>", *bad, "(OpenSubgoal)", "<END>"])).value
    assert [each.name.value for each in value.subgoals] == ["OpenSubgoal"]
    assert value.skipped == bad


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\n", AnswerProblem.EMPTY),
        ("Open the door, then drop the key.", AnswerProblem.NO_ANSWER),
        ("<START>\nfirst think\n<END>", AnswerProblem.UNREADABLE),
    ],
)
def test_what_cannot_be_read_has_a_reason(text, problem):
    reading = read_subgoals(text)
    assert reading.value is None
    assert reading.problem is problem
