"""ActPlan-1K's prompts: the description and the pictures, a plan at once or step by step."""

from __future__ import annotations

import itertools
import re

import pytest
from houseguest_agent import OutcomeCode, Plan, SkillCall, Text
from model_guest.allowed_replies import reply_schema
from model_guest.answers.reader import Answer, AnswerReader, Form
from model_guest.model import Reply
from model_guest.prompt_set import PromptLibrary, PromptSet

from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.worlds.activity.commonsense import PROFILES
from tests.unit.agents.model_guest.actplan_episodes import (
    ACTPLAN,
    DESCRIPTION,
    PLAN,
    STEPS,
    VIEWS,
    activity_episode,
    converse,
    go_on,
    see,
    texts,
)

PLAYS = (PLAN, STEPS)


def asked(play: str = PLAN, /, **settings: str) -> str:
    """All of a first request, as text."""
    return texts(converse(activity_episode(play, VIEWS), **settings).messages())


def read(reply: str, play: str = PLAN, **settings: str) -> Answer:
    """What is made of a reply."""
    playing = activity_episode(play)
    form = converse(playing, **settings).form
    return AnswerReader(playing.action_space, playing.mode, form).read(Reply(reply))


def test_the_suite_finds_its_prompts_by_name() -> None:
    assert PromptLibrary(None, {}).find("actplan").folder == ACTPLAN


@pytest.mark.parametrize("play", PLAYS)
def test_what_never_changes_comes_first_then_the_activity_then_pictures(play: str) -> None:
    text = asked(play)
    order = ["[system]", "# Your answer", "# An example", "[user]", DESCRIPTION, "Picture 1 of 3"]
    order += ["<one>", "Picture 2 of 3", "<two>", "Picture 3 of 3", "<three>"]
    order += ["The plan:" if play == PLAN else "The next step:"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)


@pytest.mark.parametrize("play", PLAYS)
def test_no_setting_leaves_a_gap_or_a_trace_of_the_template(play: str) -> None:
    settings = PromptSet(ACTPLAN).manifest.settings
    choices = itertools.product(*(each.values for each in settings.values()))
    for values, pictures in itertools.product(choices, ((), VIEWS[:1], VIEWS)):
        chosen = dict(zip(settings, values, strict=True))
        text = texts(converse(activity_episode(play, pictures), **chosen).messages())
        assert "\n\n\n" not in text, chosen
        assert not re.search(r"\{[{%#]|[%#]\}", text)


def test_text_alone_is_said_to_be_so() -> None:
    told = "no pictures of this home"
    assert told in texts(converse(activity_episode()).messages())
    assert told in texts(converse(activity_episode(pictures="off")).messages())
    blind = texts(converse(activity_episode(PLAN, VIEWS), sees=False).messages())
    assert told in blind
    assert "<one>" not in blind
    assert told not in asked()


@pytest.mark.parametrize("profile", PROFILES)
def test_rules_tell_as_many_hands_as_the_profile_counts(profile: str) -> None:
    hands = {1: "one thing", 2: "two things", None: "several things"}[PROFILES[profile].hands]
    playing = activity_episode(commonsense=profile)
    assert f"can hold {hands} at once" in texts(converse(playing, rules_told="on").messages())


@pytest.mark.parametrize("thought", ["off", "on"])
def test_the_example_is_a_plan_that_the_house_reads_as_it_is(thought: str) -> None:
    text = asked(PLAN, thought=thought).partition("# An example")[2].partition("[user]")[0]
    plan = read_plan(text[text.index("walk_to(cupboard)") :])
    assert len(plan.steps) == 14
    assert all(step.verb for step in plan.steps)
    assert not plan.diagnoses
    assert not plan.repairs


def test_nothing_holds_replies_to_a_schema() -> None:
    for play in PLAYS:
        playing = activity_episode(play)
        form = converse(playing).form
        assert form.form is Form.WORDS
        assert reply_schema(playing.action_space, playing.mode, form) is None


def test_a_plan_goes_to_the_house_as_it_is() -> None:
    plan = "1. walk_to(table)\n2. grab(candle_1)  // the red one\nplace_inside(basket, candle_1)"
    answer = read(plan)
    assert answer.action == Text(plan)
    assert answer.understood


def test_of_thoughts_in_writing_only_what_follows_the_plan_is_sent() -> None:
    answer = read("First the table.\nPlan:\nwalk_to(table)\ngrab(candle_1)", thought="on")
    assert answer.action == Text("walk_to(table)\ngrab(candle_1)")
    assert answer.thought == "First the table."


def test_prose_without_a_step_is_no_answer_and_is_sent_all_the_same() -> None:
    answer = read("I would put the candles into the basket.")
    assert not answer.understood
    assert answer.action == Text("I would put the candles into the basket.")


def test_step_by_step_the_pictures_stay_and_the_feedback_is_told_once() -> None:
    playing = activity_episode(STEPS, VIEWS, feedback="detailed")
    talk = converse(playing)
    failed = OutcomeCode.PRECONDITION_FAILED
    for number, step in enumerate(("walk_to(table)", "grab(candle_1)"), 1):
        told = f"Step {number} failed: it is dark."
        talk.record(Answer(Text(step)), go_on(playing, told, VIEWS, code=failed))
    text = texts(talk.messages())
    order = ["<one>", "<three>", "[assistant]\nwalk_to(table)", "Step 1 failed: it is dark."]
    order += ["[assistant]\ngrab(candle_1)", "Step 2 failed: it is dark.", "The next step:"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert text.count("it is dark") == 2
    assert text.count("Picture 1 of 3, the home before anything is done") == 1
    assert text.count("<one>") == 1
    assert "no pictures of this home" not in text


def test_pictures_outlast_the_turns_that_a_model_has_no_room_for() -> None:
    playing = activity_episode(STEPS, VIEWS, feedback="detailed")
    talk = converse(playing)
    for number in range(1, 9):
        step = go_on(playing, f"Step {number} worked.", VIEWS)
        talk.record(Answer(Text("wait()")), step)
    dropped = []
    while word := talk.shrink():
        dropped.append(word)
        shown = texts(talk.messages())
        assert shown.count("<one>") == 1
        assert shown.count("<three>") == (word != "pictures_now")
    assert dropped == ["turns"] * 4 + ["pictures_now"]


def test_a_model_that_takes_one_picture_is_shown_one_all_along() -> None:
    playing = activity_episode(STEPS, VIEWS, feedback="detailed")
    talk = converse(playing)
    assert talk.shrink() == "pictures_now"
    talk.record(Answer(Text("wait()")), go_on(playing, "Step 1 worked.", VIEWS))
    text = texts(talk.messages())
    assert (text.count("<one>"), text.count("<two>")) == (1, 0)


def test_what_is_known_of_the_house_is_told_before_the_first_step() -> None:
    playing = activity_episode(STEPS, VIEWS, feedback="detailed")
    playing.observation = see(0, "Nothing has been done yet.\nYou hold nothing.", VIEWS)
    text = texts(converse(playing).messages())
    assert "You hold nothing." in text
    plan = activity_episode(PLAN, VIEWS)
    assert "Nothing has been done yet." not in texts(converse(plan).messages())


def test_steps_are_said_to_be_unheard_of_without_feedback() -> None:
    silent = texts(converse(activity_episode(STEPS)).messages())
    told = texts(converse(activity_episode(STEPS, feedback="simple")).messages())
    assert "not told whether a step worked" in silent
    assert "not told whether a step worked" not in told


def test_too_many_pictures_for_a_model_leave_one_with_its_caption() -> None:
    talk = converse(activity_episode(PLAN, VIEWS))
    assert talk.shrink() == "pictures_now"
    text = texts(talk.messages())
    assert "<one>" in text
    assert "Picture 1 of 3" in text
    assert "<two>" not in text
    assert "Picture 2 of 3" not in text


def test_no_reply_becomes_a_call() -> None:
    """The house reads; the guest makes nothing up."""
    for reply in ("walk_to(table)", '{"steps": [{"skill": "grab"}]}', ""):
        assert not isinstance(read(reply).action, Plan | SkillCall)
