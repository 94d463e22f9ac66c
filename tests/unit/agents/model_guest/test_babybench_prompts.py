"""LLM-BabyBench's prompts: what each prompter puts in, and who chooses it."""

from __future__ import annotations

import re

import pytest
from houseguest_agent import OutcomeCode, SkillCall
from model_guest.answers.reader import Answer, Form
from model_guest.model import Picture
from model_guest.prompt_set import PromptLibrary, PromptSet

from env_service.suites.babybench.conditions import SETTINGS
from env_service.suites.babybench.formatters import FORMATTERS as THEIRS
from tests.unit.agents.model_guest.babybench_episodes import (
    BABYBENCH,
    FORMATTERS,
    PROMPTERS,
    QUESTIONS,
    converse,
    question_episode,
    texts,
)
from tests.unit.agents.model_guest.episodes import PNG, advance, episode

EXAMPLES = re.compile(r"^## ", re.MULTILINE)


def asked(question: str, prompter: str, formatter: str = "structured", /, **settings: str) -> str:
    """All of the request, as text."""
    playing = question_episode(question, prompter, formatter)
    return texts(converse(playing, **settings).messages())


def test_the_suite_finds_its_prompts_by_name() -> None:
    assert PromptLibrary(None, {}).find("babybench").folder == BABYBENCH


def test_every_value_of_the_houses_setting_is_one_of_ours() -> None:
    (setting,) = (each for each in SETTINGS if each.name == "prompter")
    assert PromptSet(BABYBENCH).manifest.settings["prompter"].values == setting.values
    assert set(setting.values) == set(PROMPTERS)
    assert tuple(THEIRS) == FORMATTERS


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("prompter", PROMPTERS)
def test_what_is_asked_comes_last_and_what_never_changes_first(
    question: str, prompter: str
) -> None:
    text = asked(question, prompter)
    order = [
        "[system]",
        "Rules that the house tells.",
        "The form that the house asks for.",
        "[user]",
        "A kitchen.",
        "What is asked.",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "\n\n\n" not in text
    assert not re.search(r"\{[{%#]|[%#]\}", text)


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_prompter_asks_in_its_own_way(question: str) -> None:
    prompts = {prompter: asked(question, prompter) for prompter in PROMPTERS}
    assert len(set(prompts.values())) == len(PROMPTERS)
    thinking = {name for name, text in prompts.items() if "# How to think" in text}
    assert thinking == {"cot", "tot"}
    counts = {
        name: len(EXAMPLES.findall(text.partition("# Examples")[2]))
        for name, text in prompts.items()
    }
    assert counts == {"zero-shot": 0, "few-shot": 3, "cot": 0, "tot": 0}


@pytest.mark.parametrize("question", QUESTIONS)
def test_examples_describe_worlds_in_the_form_of_the_question(question: str) -> None:
    shown = {form: asked(question, "few-shot", form) for form in FORMATTERS}
    assert shown["structured"].count("- Agent initial position: ") == 3
    assert shown["narrative"].count("The agent starts at position ") == 3
    assert shown["json"].count('{"config": {"num_rooms": ') == 3
    assert asked(question, "few-shot", "some other") == shown["structured"]


def test_the_run_chooses_the_prompter_and_the_user_before_it() -> None:
    assert asked("plan", "cot") != asked("plan", "zero-shot")
    assert asked("plan", "cot", prompter="few-shot") == asked("plan", "few-shot")
    prompts = PromptSet(BABYBENCH, {"prompter": "few-shot"})
    assert prompts.settle({"prompter": "cot"})["prompter"] == "few-shot"
    assert prompts.configuration()["prompt.prompter"] == "few-shot"


def test_a_picture_is_shown_and_spoken_of() -> None:
    playing = question_episode("plan", pictures=(PNG,))
    messages = converse(playing).messages()
    assert [part.data for part in messages[-1].parts if isinstance(part, Picture)] == [PNG]
    assert "The picture shows" in texts(messages)
    blind = texts(converse(playing, sees=False).messages())
    assert "picture" not in blind


def test_a_question_of_another_kind_is_asked_too() -> None:
    for prompter in PROMPTERS:
        text = asked("count", prompter)
        assert "What is asked." in text
        assert "The form that the house asks for." in text
        assert "\n\n\n" not in text


@pytest.mark.parametrize("question", [*QUESTIONS, "count"])
def test_asking_again_names_the_form(question: str) -> None:
    _, again = converse(question_episode(question)).retry("Hm.")
    said = texts([again])
    assert ("The agent's final state is: " in said) == (question == "predict")
    assert ("The LLM's action sequence is: " in said) == (question == "plan")
    assert ("<START>" in said) == (question == "decompose")


class TestPlaying:
    """Levels that are played, action by action."""

    def test_it_is_answered_in_json_like_other_suites(self) -> None:
        conversation = converse(episode(suite="babybench"))
        assert conversation.form.form is Form.JSON
        text = texts(conversation.messages())
        assert "bring the mug" in text
        assert "Mind the step." in text
        assert "Your next action, as JSON:" in text
        assert "\n\n\n" not in text

    def test_turns_tell_what_came_of_the_last(self) -> None:
        playing = episode(suite="babybench")
        conversation = converse(playing)
        outcomes = advance(playing, "A hall.", code=OutcomeCode.REFUSED, feedback="A wall.")
        conversation.record(Answer(SkillCall("forward"), plan="go on"), outcomes)
        text = texts(conversation.messages())
        assert "Your action did not work. A wall." in text
        assert "Turn 2.\n\nA hall." in text
        assert "Your plan so far:\ngo on" in text
