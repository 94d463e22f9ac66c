"""AsgardBench's prompts: what each condition puts in, and what it keeps out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from houseguest_agent import OutcomeCode, Text
from model_guest.allowed_replies import list_candidates, reply_schema
from model_guest.answers.reader import Answer, Form
from model_guest.conversation import Conversation
from model_guest.prompt_set import PromptLibrary, PromptSet

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.conditions import NAMED
from tests.unit.agents.model_guest.asgard_episodes import (
    ASGARD,
    OBJECTS,
    SKILLS,
    asgard_episode,
    condition,
    converse,
    pictures_of,
    system_of,
    turn_of,
)
from tests.unit.agents.model_guest.episodes import PNG, advance, space

EXAMPLES = re.compile(r"^## ", re.MULTILINE)


def opened(name: str = "baseline", /, **changed: str) -> str:
    """All of the first request under a condition, as text."""
    under = condition(name, **changed)
    pictures = () if under["text_only"] == "on" else (PNG,)
    messages = converse(asgard_episode(under, pictures)).messages()
    return system_of(messages) + "\n" + turn_of(messages)


def told(chosen: dict[str, str], **changed: str) -> str:
    """The same with settings that the user chose."""
    messages = converse(asgard_episode(condition(**changed)), chosen).messages()
    return system_of(messages) + "\n" + turn_of(messages)


def second_turn(name: str, code: OutcomeCode, feedback: str = "") -> Conversation:
    under = condition(name)
    pictures = () if under["text_only"] == "on" else (b"now", PNG)
    playing = asgard_episode(under, pictures[1:])
    conversation = converse(playing)
    outcomes = advance(playing, "", pictures, code=code, feedback=feedback)
    said = Answer(Text("<answer>Action: PUT Cabinet</answer>"), plan="1. OPEN Cabinet")
    conversation.record(said, outcomes)
    return conversation


def test_the_suite_finds_its_prompts_by_name() -> None:
    assert PromptLibrary(None, {}).find("asgard").folder == ASGARD


def test_rules_and_examples_stand_before_all_that_differs_between_tasks() -> None:
    messages = converse(asgard_episode()).messages()
    system, turn = system_of(messages), turn_of(messages)
    order = ["# Actions", "# Rules of the house", "# Your turn", "# How to answer", "# Examples"]
    places = [system.index(each) for each in order]
    assert places == sorted(places)
    assert "Store the Mug" not in system
    order = ["# Your chore", "Store the Mug", "# Available objects", ", ".join(OBJECTS)]
    places = [turn.index(each) for each in order]
    assert places == sorted(places)


def test_all_twelve_actions_are_explained_in_words_of_the_prompts() -> None:
    lines = opened().splitlines()
    for verb in Verb:
        (line,) = (each for each in lines if each.startswith(f"- {verb.value}: "))
        assert "in view" not in line, "that is common sense, which is told where asked for"


def test_the_houses_own_rules_are_not_told_beside_the_prompts() -> None:
    assert "Rules that the house tells." not in opened()
    assert "Answer like the house says." not in opened()


@pytest.mark.parametrize("name", NAMED)
def test_every_condition_of_the_paper_has_three_examples_in_the_form_asked_for(name: str) -> None:
    text = opened(name)
    assert len(EXAMPLES.findall(text)) == 3
    examples = text.partition("# Examples")[2].partition("# Your chore")[0]
    assert len(re.findall(r"^Action: [A-Z_]+ [A-Z]\w+$", examples, re.MULTILINE)) == 3


@pytest.mark.parametrize("name", NAMED)
def test_no_condition_leaves_gaps_in_the_text(name: str) -> None:
    assert "\n\n\n" not in opened(name)
    assert not re.search(r"\{[{%#]|[%#]\}", opened(name))
    assert "  " not in opened(name).partition("# Examples")[0]


class TestPictures:
    """What is shown, and what is said of it."""

    def test_two_pictures_the_one_before_first(self) -> None:
        messages = second_turn("baseline", OutcomeCode.SUCCEEDED).messages()
        assert pictures_of(messages) == [PNG, b"now"]
        assert "before your last action, then now" in turn_of(messages)
        assert "two pictures" in system_of(messages)
        assert "In the first picture the Mug" in system_of(messages)

    def test_the_one_before_may_be_gray(self) -> None:
        assert "without colours" in opened(previous_image="grayscale")
        assert "without colours" not in opened()

    def test_without_the_one_before(self) -> None:
        text = opened("no-previous-image")
        assert "You are shown one picture" in text
        assert "two pictures" not in text
        assert "first picture" not in text
        assert "Pictures:" not in text

    def test_text_only(self) -> None:
        text = opened("text-only-simple")
        assert "shown no pictures" in text
        assert not re.search(r"[Pp]ictures?:|The picture|Look:|hand is drawn", text)

    def test_a_model_without_eyes_is_told_as_much(self) -> None:
        messages = converse(asgard_episode(), sees=False).messages()
        assert "shown no pictures" in system_of(messages)
        assert pictures_of(messages) == []

    def test_the_drawn_hand(self) -> None:
        assert "a hand is drawn" in opened()
        assert "The hand is drawn over the Plate" in opened()
        assert "hand is drawn" not in opened("no-hand")
        assert "hand over it" not in opened("no-hand")


class TestFeedback:
    """What the history tells of past actions: what the house delivered."""

    CASES = (
        ("baseline", OutcomeCode.SUCCEEDED, "", "1. PUT Cabinet  Success"),
        ("baseline", OutcomeCode.REFUSED, "", "1. PUT Cabinet  Failure"),
        (
            "detailed",
            OutcomeCode.PRECONDITION_FAILED,
            "Cannot PUT in Cabinet as it is closed.",
            "1. PUT Cabinet  Failure: Cannot PUT in Cabinet as it is closed.",
        ),
        ("detailed", OutcomeCode.PHYSICALLY_BLOCKED, "", "1. PUT Cabinet  Failure"),
        ("no-feedback", OutcomeCode.WITHHELD, "", "1. PUT Cabinet"),
        ("text-only-simple", OutcomeCode.REFUSED, "", "1. PUT Cabinet  Failure"),
        ("text-only-none", OutcomeCode.WITHHELD, "", "1. PUT Cabinet"),
    )

    @pytest.mark.parametrize(("name", "code", "feedback", "line"), CASES)
    def test_a_line_of_the_history(
        self, name: str, code: OutcomeCode, feedback: str, line: str
    ) -> None:
        turn = turn_of(second_turn(name, code, feedback).messages())
        assert line in turn.splitlines()

    @pytest.mark.parametrize(
        ("name", "there", "away"),
        [
            ("baseline", ("  Failure\n", "  Success\n", "for you to find"), ("Failure:",)),
            ("detailed", ("Failure: Cannot PUT in Cabinet as", "a message"), ("for you to find",)),
            ("no-feedback", ("Nobody tells you",), ("Success", "Failure")),
            ("text-only-none", ("Nobody tells you",), ("Success", "Failure")),
            ("text-only-detailed", ("Failure: Cannot PUT in Cabinet as",), ("Nobody",)),
        ],
    )
    def test_the_examples_have_the_same_feedback(
        self, name: str, there: tuple[str, ...], away: tuple[str, ...]
    ) -> None:
        text = opened(name)
        assert [each for each in there if each not in text] == []
        assert [each for each in away if each in text] == []


class TestWhatTheAgentKeeps:
    """Memory, plan, common sense and examples: no house can enforce them."""

    @pytest.mark.parametrize(
        "words", [lambda: opened("no-memory"), lambda: told({"memory": "off"})]
    )
    def test_without_memory(self, words: Callable[[], str]) -> None:
        text = words()
        assert "THINGS TO REMEMBER" in opened()
        assert not re.search("remember|Notes of the turn", text, re.IGNORECASE)

    @pytest.mark.parametrize(
        "words", [lambda: opened(full_plan="off"), lambda: told({"full_plan": "off"})]
    )
    def test_the_next_step_alone(self, words: Callable[[], str]) -> None:
        text = words()
        assert "all actions that are left" in opened()
        assert "all actions that are left" not in text
        assert "the very next action" in text
        examples = text.partition("# Examples")[2]
        assert len(re.findall(r"^1\. [A-Z]", examples, re.MULTILINE)) == 3 + 2
        assert "2. OPEN" not in examples

    @pytest.mark.parametrize(
        "words", [lambda: opened(common_sense="on"), lambda: told({"common_sense": "on"})]
    )
    def test_common_sense(self, words: Callable[[], str]) -> None:
        text = words()
        assert "# Common sense" not in opened()
        rules = text.partition("# Common sense")[2].partition("# Your turn")[0]
        assert rules.count("\n- ") >= 20

    def test_what_the_user_chose_goes_before_the_condition(self) -> None:
        assert "# Common sense" not in told({"common_sense": "off"}, common_sense="on")
        assert "all actions that are left" in told({"full_plan": "on"}, full_plan="off")

    def test_notes_that_the_condition_forbids_cannot_be_brought_back(self) -> None:
        assert "THINGS TO REMEMBER" not in told({"memory": "on"}, memory="off")

    def test_without_examples(self) -> None:
        text = told({"examples": "off"})
        assert "# Examples" not in text
        assert "SUGGESTED PLAN SEQUENCE" in text


class TestOtherForms:
    """JSON, for servers that hold a model to it, and choosing among all actions."""

    def test_json_is_asked_for_and_shown(self) -> None:
        text = told({"answer": "json"})
        assert "one JSON object" in text
        assert not re.search("<think>|<answer>|Action: ", text)
        assert text.count('"action": {"skill": ') == 1 + 3

    def test_json_has_a_schema_of_all_actions(self) -> None:
        conversation = converse(asgard_episode(), {"answer": "json"})
        assert conversation.form.form is Form.JSON
        playing = asgard_episode()
        schema = reply_schema(playing.action_space, playing.mode, conversation.form)
        assert schema is not None
        assert schema["required"] == ["thought", "plan", "memory", "action"]
        action = schema["properties"]["action"]["properties"]
        assert action["skill"]["enum"] == [verb.value for verb in Verb]
        assert action["arguments"]["properties"]["object"]["enum"] == list(OBJECTS)

    def test_without_memory_the_schema_has_none(self) -> None:
        playing = asgard_episode(condition("no-memory"))
        form = converse(playing, {"answer": "json"}).form
        schema = reply_schema(playing.action_space, playing.mode, form)
        assert schema is not None
        assert schema["required"] == ["thought", "plan", "action"]

    def test_candidates_are_lines_as_the_house_reads_them(self) -> None:
        form = converse(asgard_episode()).form
        assert "Action: PUT Cabinet" in list_candidates(space(SKILLS), form)

    def test_who_chooses_writes_no_plan(self) -> None:
        system = system_of(converse(asgard_episode(), choosing=True).messages())
        assert "the action and nothing else" in system
        assert not re.search("PLAN SEQUENCE|<think>|Think in this order|# Examples", system)


def test_what_was_chosen_is_declared() -> None:
    chosen = {"memory": "off", "full_plan": "off", "common_sense": "on", "examples": "off"}
    declared = PromptSet(ASGARD, chosen).configuration()
    assert {f"prompt.{name}": value for name, value in chosen.items()}.items() <= declared.items()
    assert "prompts.asgard" in PromptLibrary(None, chosen).configuration()
