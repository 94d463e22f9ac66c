"""ALFRED's prompts: what a model is shown, and what each setting changes of it."""

from __future__ import annotations

import itertools
import re

import pytest
from houseguest_agent import OutcomeCode, SkillCall, Text
from model_guest.answers.reader import Answer, Form
from model_guest.examples import read_pool
from model_guest.model import Picture
from model_guest.prompt_set import PromptLibrary, PromptSet

from env_service.suites.alfred.conditions import SETTINGS
from env_service.suites.alfred.skills.vocabulary import SKILLS
from env_service.suites.alfred.task import TaskType
from tests.unit.agents.model_guest.alfred_episodes import (
    ALFRED,
    PLAN,
    STEPS,
    alfred_episode,
    converse,
    texts,
)
from tests.unit.agents.model_guest.episodes import PNG, advance

PLAYS = (PLAN, STEPS)


def asked(play: str = PLAN, /, *, choosing: bool = False, **settings: str) -> str:
    """All of a first request, as text."""
    return texts(converse(alfred_episode(play), choosing=choosing, **settings).messages())


def test_the_suite_finds_its_prompts_by_name() -> None:
    assert PromptLibrary(None, {}).find("alfred").folder == ALFRED


@pytest.mark.parametrize("play", PLAYS)
def test_what_never_changes_comes_first_and_the_command_last(play: str) -> None:
    text = asked(play)
    order = [
        "[system]",
        ", ".join(SKILLS),
        "Answer with ",
        "Command: ",
        "[user]",
        "# The command\n\nPut a mug in",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)


@pytest.mark.parametrize("play", PLAYS)
def test_no_setting_leaves_a_gap_or_a_trace_of_the_template(play: str) -> None:
    settings = PromptSet(ALFRED).manifest.settings
    changes = [{name: value} for name, each in settings.items() for value in each.values[1:]]
    changes += [{}, {name: each.values[-1] for name, each in settings.items()}]
    for chosen, choosing, ask in itertools.product(changes, (False, True), ("off", "on")):
        playing = alfred_episode(play, ask=ask)
        text = texts(converse(playing, choosing=choosing, **chosen).messages())
        assert "\n\n\n" not in text, (chosen, choosing, ask)
        assert not re.search(r"\{[{%#]|[%#]\}", text)


def test_the_pool_has_enough_of_each_type_and_knows_every_skill() -> None:
    pool = read_pool(ALFRED / "examples" / "builtin.json")
    by_type = {kind.value: 0 for kind in TaskType}
    for example in pool.examples:
        by_type[example.type] += 1
        assert set(example.steps) <= set(SKILLS), example.task
    assert min(by_type.values()) >= 2
    assert PromptSet(ALFRED).manifest.examples is not None
    assert set(PromptSet(ALFRED).manifest.examples.types) == set(by_type)


def test_fourteen_examples_two_of_each_type() -> None:
    shown = PromptSet(ALFRED).examples(alfred_episode())
    assert [each.type for each in shown[::2]] == [each.type for each in shown[1::2]]
    assert len({each.type for each in shown}) == 7
    assert asked().count("Command: ") == asked().count("Plan: ") == 14
    assert "examples" not in asked(examples="off").lower()


def test_an_example_looks_as_its_play_is_answered() -> None:
    example = PromptSet(ALFRED).examples(alfred_episode())[0]
    assert f"Plan: {', '.join(example.steps)}, done\n" in asked(PLAN)
    assert f"Steps: 1. {example.steps[0]}, 2. {example.steps[1]}, 3. " in asked(STEPS)
    assert f", {len(example.steps) + 1}. done\n" in asked(STEPS)


def test_how_skills_work_is_told_on_request_alone() -> None:
    assert "holds one thing" not in asked()
    assert "holds one thing" in asked(rules_told="on")


def test_who_chooses_among_skills_needs_no_list_of_them() -> None:
    assert "find a CD, " not in asked(STEPS, choosing=True, examples="off")
    listed = asked(STEPS, choosing=True, examples="off", skill_list="on")
    assert "find a CD, " in listed
    assert "find a CD, " not in asked(STEPS, examples="off", skill_list="off")


def test_no_setting_of_ours_is_named_as_one_of_the_houses() -> None:
    assert not {each.name for each in SETTINGS} & PromptSet(ALFRED).manifest.settings.keys()


def test_a_command_in_korean_goes_as_it_is() -> None:
    command = "숟가락을 싱크대에 넣으세요."
    text = texts(converse(alfred_episode(command=command)).messages())
    assert f"# The command\n\n{command}\n" in text


class TestPictures:
    """Where the run shows some."""

    @pytest.mark.parametrize("play", PLAYS)
    def test_they_are_shown_and_spoken_of(self, play: str) -> None:
        playing = alfred_episode(play, pictures=(PNG,))
        messages = converse(playing).messages()
        assert [part.data for part in messages[-1].parts if isinstance(part, Picture)] == [PNG]
        assert texts(messages).count("picture") >= 2

    @pytest.mark.parametrize("play", PLAYS)
    def test_where_there_are_none_nothing_is_said_of_them(self, play: str) -> None:
        assert "picture" not in asked(play)
        playing = alfred_episode(play, pictures=(PNG,))
        assert "picture" not in texts(converse(playing, sees=False).messages())


class TestSteps:
    """A skill a turn."""

    def test_past_steps_stand_in_a_row_with_what_came_of_them(self) -> None:
        playing = alfred_episode(STEPS, feedback="detailed")
        conversation = converse(playing)
        found = SkillCall("find", {"object": "an apple"})
        conversation.record(Answer(found), advance(playing, ""))
        refused = {"code": OutcomeCode.REFUSED, "feedback": "Cannot find Mug"}
        conversation.record(Answer(Text("2. find a mug.")), advance(playing, "", **refused))
        unknown = {"code": OutcomeCode.UNKNOWN_SKILL}
        conversation.record(Answer(Text("I go\nthere")), advance(playing, "", **unknown))
        text = texts(conversation.messages())
        row = "1. find an apple, 2. find a mug (this failed: Cannot find Mug), 3. I go there"
        assert f"# The steps so far\n\n{row} (this failed)\n" in text
        assert text.endswith("Step 4:")

    def test_what_is_withheld_is_not_told(self) -> None:
        playing = alfred_episode(STEPS, feedback="none")
        conversation = converse(playing)
        outcomes = advance(playing, "", code=OutcomeCode.WITHHELD)
        conversation.record(Answer(Text("find a mug")), outcomes)
        text = texts(conversation.messages())
        assert "1. find a mug\n" in text
        assert "You are not told whether a step worked." in text


class TestQuestion:
    """One question, before anything is done."""

    @pytest.mark.parametrize("play", PLAYS)
    def test_it_is_offered_and_its_answer_stays(self, play: str) -> None:
        playing = alfred_episode(play, ask="on", wording="C-without-context")
        conversation = converse(playing)
        assert "write ask, a colon and the question" in texts(conversation.messages())
        answered = advance(playing, "Spoons go to the sink.")
        conversation.record(Answer(Text("ask: Where to?")), answered)
        told = "ask: Where to? (the answer: Spoons go to the sink.)"
        assert told in texts(conversation.messages())
        if play == STEPS:
            conversation.record(Answer(Text("find a spoon")), advance(playing, ""))
            text = texts(conversation.messages())
            assert f"1. {told}, 2. find a spoon\n" in text

    def test_who_chooses_among_skills_is_not_told_of_it(self) -> None:
        playing = alfred_episode(STEPS, ask="on")
        assert "question" not in texts(converse(playing, choosing=True).messages())

    def test_in_json_it_is_a_skill_too(self) -> None:
        conversation = converse(alfred_episode(ask="on"), answer="json")
        assert conversation.form.form is Form.JSON
        assert "The skill ask puts one question" in texts(conversation.messages())
