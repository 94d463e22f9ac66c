import json

import numpy as np
import pytest

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import EpisodeStatus, FinishReason, Mode
from env_service.domain.failure import FailureClass
from env_service.domain.observation import Channel, ImageEncoding, ImageRequest, ObservationRequest
from env_service.domain.outcome import OutcomeCode
from env_service.suites.babybench.formatters import describe
from tests.unit.suites.babybench.builders import SUITE, answered, known, make_order, opened

QUESTIONS = ("predict:GoTo/2", "plan:Small-4Dists/2", "decompose:GoTo/2")


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_one_answer(name):
    episode, first = opened(name)
    assert (first.mode, first.max_steps) == (Mode.ANSWER, 1)
    report = episode.act(Text("I do not know."))
    assert (report.status, report.steps_left) == (EpisodeStatus.TERMINATED, 0)
    result = episode.finish(FinishReason.OVER)
    assert (result.success, result.steps) == (False, 1)
    assert result.failure is FailureClass.GOAL_NOT_REACHED
    with pytest.raises(RuntimeError, match="over"):
        episode.act(Text("again"))


@pytest.mark.parametrize("form", ["structured", "narrative", "json"])
def test_the_level_is_told_in_the_form_that_was_chosen(form):
    _, first = opened("predict:GoTo/2", formatter=form)
    assert first.observation.text == describe(known("GoTo/2").facts, form)
    assert first.context["formatter"] == form


def test_predict_tells_the_actions_and_not_where_they_lead():
    _, first = opened("predict:GoTo/2")
    expert = known("GoTo/2").expert
    assert ", ".join(expert.actions) in first.instruction
    said = json.dumps([first.instruction, first.observation.text, dict(first.context)])
    assert f"({expert.state[0]}, {expert.state[1]})" not in said


def test_plan_and_decompose_do_not_tell_what_the_expert_does():
    for name in QUESTIONS[1:]:
        _, first = opened(name)
        said = " ".join([first.instruction, first.observation.text, *first.context.values()])
        actions = known(name.partition(":")[2]).expert.actions
        assert ", ".join(actions[:4]) not in said


def test_decompose_tells_the_mission():
    _, first = opened("decompose:GoTo/2")
    assert known("GoTo/2").facts.mission in first.instruction


@pytest.mark.parametrize(
    ("name", "markers"),
    [
        ("predict:GoTo/2", ["The agent's final state is: ((x, y), d)"]),
        ("plan:Small-4Dists/2", ["The LLM's action sequence is: "]),
        ("decompose:GoTo/2", ["<START>\n", "\n<END>", "(GoNextToSubgoal, (x, y))"]),
    ],
)
def test_the_context_says_all_that_a_prompt_needs(name, markers):
    _, first = opened(name, prompter="cot")
    assert set(first.context) == {
        *("question", "world_rules", "answer_rules", "formatter", "prompter")
    }
    assert first.context["question"] == name.partition(":")[0]
    assert first.context["prompter"] == "cot"
    assert all(marker in first.context["answer_rules"] for marker in markers)
    assert first.action_space.answer_format == first.context["answer_rules"]


def test_prompters_change_nothing_but_what_is_told_of_them():
    firsts = [opened("predict:GoTo/2", prompter=name)[1] for name in ("tot", "zero-shot")]
    assert firsts[0].instruction == firsts[1].instruction
    assert firsts[0].observation == firsts[1].observation


def test_pictures_are_on_offer_where_the_condition_says_so():
    _, first = opened("plan:Small-4Dists/2", observation="text+picture")
    (frame,) = first.observation.frames
    assert frame.pixels.shape[-1] == 3
    assert first.observation.text
    assert "picture" in first.context["world_rules"]
    _, partial = opened("plan:Small-4Dists/2", observation="text+picture", view="partial")
    assert not np.array_equal(partial.observation.frames[0].pixels, frame.pixels)
    assert partial.observation.text == first.observation.text


def test_a_picture_alone_comes_with_the_place_of_the_start():
    _, first = opened("plan:Small-4Dists/2", observation="picture")
    assert first.observation.text == ""
    (x, y), heading = known("Small-4Dists/2").facts.state
    assert f"(({x}, {y}), {heading})" in first.instruction


def test_an_agent_that_asks_for_the_picture_gets_no_text():
    image = ImageRequest(Channel.RGB, (ImageEncoding.PNG,))
    order = make_order("predict:GoTo/2", ObservationRequest((image,)), observation="text+picture")
    first = SUITE.open_episode(order).start()
    assert (first.observation.text, len(first.observation.frames)) == ("", 1)


@pytest.mark.parametrize(
    "action",
    [SkillCall("left"), Plan((SkillCall("left"),)), Unreadable("it has no kind", "0" * 64)],
)
@pytest.mark.parametrize("scoring", ["fixed", "compat"])
def test_what_is_no_text_is_no_answer(action, scoring):
    episode, _ = opened("plan:Small-4Dists/2", scoring=scoring)
    (outcome,) = episode.act(action).outcomes
    assert outcome.code is OutcomeCode.UNPARSABLE
    assert episode.finish(FinishReason.OVER).labels["answer"] == "not_words"


@pytest.mark.parametrize("name", QUESTIONS)
def test_giving_up_scores_nothing(name):
    episode, _ = opened(name)
    result = episode.finish(FinishReason.AGENT_GAVE_UP)
    assert (result.success, result.steps, result.failure) == (False, 0, FailureClass.GAVE_UP)
    assert "answer" not in result.labels
    assert result.labels["question"] == name.partition(":")[0]


def test_an_understood_answer_is_not_told_to_be_right():
    outcomes = []
    for text in ("((5, 6), 2)", "((5, 6), 3)"):
        episode, _ = opened("predict:GoToObj/2")
        outcomes.append(episode.act(Text(text)).outcomes)
    assert outcomes[0] == outcomes[1]


def test_results_can_be_broken_down_by_the_level():
    result = answered("decompose:PutNextLocal/2", "<START>\n(PickupSubgoal)\n<END>")
    assert result.labels.items() >= {
        ("question", "decompose"),
        ("difficulty", "Medium"),
        ("grid", "8x8"),
        ("help_class", "3-4"),
        ("help_added_class", "0-2"),
        ("answer", "parsed"),
    }
    assert result.metrics["help_count"] == 4
    assert result.metrics["subgoals"] == 1


def test_the_digest_tells_levels_questions_and_answers_apart():
    digests = set()
    for name in (*QUESTIONS, "decompose:GoTo/3"):
        episode, _ = opened(name)
        digests.add(episode.state_digest())
        episode.act(Text("((1, 1), 0)"))
        digests.add(episode.state_digest())
    assert len(digests) == 8
