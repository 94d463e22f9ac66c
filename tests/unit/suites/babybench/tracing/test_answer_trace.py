"""Stories of answers: the true states of what they say, and what the expert adds."""

import pytest

from env_service.suites.babybench.answers.readings import State
from env_service.suites.babybench.scoring import execute
from env_service.suites.babybench.tracing.answer_trace import (
    ADDED,
    EXPERTS,
    PLANNED,
    REOPENING,
    trace_answer,
)
from env_service.worlds.babyai.state import Thing
from tests.unit.suites.babybench.builders import grader, known

STATE = "The agent's final state is: "
PLAN = "The LLM's action sequence is: "


def owners(step):
    return [line.owner for line in step.stack]


def test_predict_goes_through_what_happens_to_the_true_end():
    asked = grader("predict:PutNextLocal/2")
    trace = trace_answer(asked, f"{STATE}{asked.truth}")
    (track,) = trace.tracks
    assert [step.action for step in track.steps] == list(asked.solved.expert.actions)
    assert track.states(trace.first)[0] == State(*asked.solved.facts.state)
    assert track.steps[-1].state == asked.truth == trace.claim
    assert trace.verdict.startswith("Right")
    # What was picked up is carried, and its cell is free, until it is put down elsewhere.
    picked, put = (step for step in track.steps if step.change)
    assert picked.change[1] is None
    assert isinstance(picked.carrying, Thing)
    assert put.change[1] == picked.carrying


@pytest.mark.parametrize(
    ("wrong", "told"),
    [((1, 0, 0), "1 cell off"), ((2, 3, 0), "5 cells off"), ((0, 0, 1), "the heading is not")],
)
def test_predict_says_how_far_off_an_answer_is(wrong, told):
    asked = grader("predict:GoToObj/3")
    (x, y), heading = asked.truth.position, asked.truth.heading
    said = State((x + wrong[0], y + wrong[1]), (heading + wrong[2]) % 4)
    assert told in trace_answer(asked, f"{STATE}{said}").verdict


def test_plan_takes_the_answers_own_actions_up_to_the_ball():
    asked = grader("plan:Small-4Dists/2")
    plan = ["pickup", *asked.solved.expert.actions, "left", "left"]
    trace = trace_answer(asked, PLAN + ", ".join(plan))
    own, expert = trace.tracks
    assert [step.action for step in own.steps] == plan[:-2]
    assert own.steps[0].idle
    assert not any(step.idle for step in own.steps[1:])
    assert own.note == "2 more actions are not taken."
    cut = trace_answer(asked, PLAN + ", ".join(plan[:-1])).tracks[0]
    assert cut.note == "1 more action is not taken."
    assert own.steps[-1].state == expert.steps[-1].state
    assert trace.verdict.startswith("The red ball is reached")
    assert asked.solved.facts.start.at(trace.target) == Thing("ball", "red")


def test_plan_says_how_far_from_the_ball_it_ends():
    asked = grader("plan:Small-4Dists/2")
    trace = trace_answer(asked, f"{PLAN}left, jump")
    away = execute(asked.solved.facts, ["left"]).ball_distance
    assert f"{away:g} cell" in trace.verdict
    assert trace.left_out == ("jump",)


def test_decompose_marks_what_the_expert_adds():
    asked = grader("decompose:GoToObjMaze/3")
    said = known("GoToObjMaze/3").expert
    x, y = next(at for at, thing in asked.solved.facts.objects if thing.kind != "door")
    trace = trace_answer(asked, f"<START>\n(GoNextToSubgoal, ({x}, {y}))\n<END>")
    own, alone = trace.tracks
    assert owners(own.steps[0])[0] == PLANNED
    added = [step for step in own.steps if ADDED in owners(step)]
    assert added
    assert all(step.help > 0 for step in added)
    assert own.steps[-1].help == said.help_added
    assert owners(own.steps[-1])[0] == PLANNED
    assert {owner for step in alone.steps for owner in owners(step)} == {EXPERTS}
    assert tuple(step.action for step in alone.steps) == said.actions
    assert f"{said.help_added} subgoal" in trace.verdict
    assert "is fulfilled" in trace.verdict


def test_closing_a_door_to_open_it_again_is_no_help():
    asked = grader("decompose:Open/3")
    at, _ = next((at, thing) for at, thing in asked.solved.facts.objects if thing.kind == "door")
    plan = f"(GoNextToSubgoal, {at})\n(OpenSubgoal)\n(OpenSubgoal)\n(OpenSubgoal)"
    own = trace_answer(asked, f"<START>\n{plan}\n<END>").tracks[0]
    assert any(REOPENING in owners(step) for step in own.steps)


def test_why_the_expert_stops_is_told():
    asked = grader("decompose:GoToObj/2")
    stuck = trace_answer(asked, "<START>\n(GoNextToSubgoal, (0, 0))\n<END>").tracks[0]
    assert stuck.note.startswith("The expert cannot go on")
    idle = trace_answer(asked, "<START>\n(DropSubgoal)\n<END>").tracks[0]
    assert (idle.steps, idle.note) == ((), "No subgoal is left.")


@pytest.mark.parametrize(
    "task", ["predict:GoToObj/2", "plan:Small-4Dists/2", "decompose:GoToObj/2"]
)
@pytest.mark.parametrize("scoring", ["fixed", "compat"])
def test_an_answer_that_cannot_be_read_has_a_story_too(task, scoring):
    trace = trace_answer(grader(task, scoring), "I do not know.")
    assert trace.tracks[-1].steps
    assert trace.said == ()
    if (task, scoring) != ("plan:Small-4Dists/2", "compat"):
        assert "counts as wrong" in trace.verdict


def test_a_level_that_is_played_has_no_answer():
    with pytest.raises(ValueError, match="no answer"):
        trace_answer(grader("interactive:GoToObj/2"), "left")
