import pytest

from env_service.suites.babybench.answers.readings import write_subgoal
from env_service.suites.babybench.expert import derive_subgoals
from env_service.suites.babybench.solved_level import solve_level
from env_service.worlds.babyai.omnibot.records import ExpertMode
from tests.unit.suites.babybench.builders import SUITE, answered, known, make_order, subject


def answer(name, **condition):
    run = SUITE.expert(make_order(name, **condition))
    assert run.success
    (text,) = run.actions
    return text.text


def test_the_expert_knows_where_it_ends_up():
    assert answer("predict:GoToObj/2") == "The agent's final state is: ((5, 6), 2)"


def test_the_expert_tells_its_actions():
    expected = "The LLM's action sequence is: right, forward, right, forward, forward, forward"
    assert answer("plan:Small-4Dists/2") == expected


def test_the_expert_names_the_subgoals_that_it_went_through():
    assert answer("decompose:GoToObj/0") == "<START>\n(GoNextToSubgoal, (4, 4))\n<END>"


@pytest.mark.parametrize("level", ["PutNextLocal/2", "UnblockPickup/3", "GoToSeq/5", "SynthLoc/7"])
def test_its_subgoals_need_no_help(level):
    text = answer(f"decompose:{level}")
    assert answered(f"decompose:{level}", text).metrics["pr"] == 1


def test_an_open_door_is_closed_and_opened_again_where_that_is_the_mission():
    failing = subject("decompose:SynthSeq/0")
    expert = solve_level(failing.level, failing.seed, ExpertMode.FIXED).expert
    assert expert.success
    names = [write_subgoal(each) for each in derive_subgoals(failing, expert)]
    assert "(CloseSubgoal)" in names
    assert not solve_level(failing.level, failing.seed, ExpertMode.COMPAT).expert.success


def test_the_published_expert_is_quoted_with_its_padding():
    order = make_order("predict:SynthSeq/0", scoring="compat")
    instruction = SUITE.open_episode(order).start().instruction
    assert instruction.count("done") > 100
    assert SUITE.expert(order).success
    assert "done" not in known("SynthSeq/0").expert.actions


def test_the_expert_also_plays_levels():
    run = SUITE.expert(make_order("interactive:GoToLocal/2"))
    assert run.success
    assert len(run.actions) > 1
