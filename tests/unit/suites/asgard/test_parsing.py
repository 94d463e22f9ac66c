import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.domain.action import Plan, SkillCall, Text, Unreadable
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.action_language import BadTurn, Command, Parser, Verb
from env_service.suites.asgard.rules import PAPER, UPSTREAM

AVAILABLE = ("Apple", "AppleSliced", "Mug")
PARSER, RELEASE = Parser(AVAILABLE, PAPER), Parser(AVAILABLE, UPSTREAM)
PICK_UP_MUG = Command(Verb.PICKUP, "Mug")


@pytest.mark.parametrize(
    "text",
    [
        "Action: PICKUP Mug",
        "Action:PICKUP  mug",
        "Action:\n PICKUP\nMUG.",
        "My Action: PICKUP Mug, because I am thirsty.",
        "Action: FIND Apple\nAction: PICKUP Mug",
        "<think>Action: FIND Apple</think><answer>Action: PICKUP Mug</answer>",
        "<answer>Action: FIND Apple <answer>Action: PICKUP Mug</answer> and more",
        "<think>I am done</think>\nAction: PICKUP Mug",
        "Action: I think so. Action: PICKUP Mug",
    ],
)
def test_the_last_action_of_the_answer_is_read(text):
    assert PARSER.read(Text(text)) == RELEASE.read(Text(text)) == PICK_UP_MUG


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PICKUP Mug",
        "action: PICKUP Mug",
        "Action: pickup Mug",
        "**Action:** PICKUP Mug",
        "Action: PICKUP",
        "Action: 'PICKUP Mug'",
        "Action: PICKUP Mug\n<answer>none</answer>",
    ],
)
def test_anything_else_is_unparsable(text):
    found = PARSER.read(Text(text))
    assert found == BadTurn(
        OutcomeCode.UNPARSABLE, "Response from model is in invalid format.", "None", "None"
    )
    assert found.text == "None None"


def test_unknown_actions_and_objects_are_told_apart_at_once():
    assert PARSER.read_text("Action: JUMP mug") == BadTurn(
        OutcomeCode.UNKNOWN_SKILL, "Action is not a valid action.", "JUMP", "Mug"
    )
    assert PARSER.read_text("Action: PICKUP Banana") == BadTurn(
        OutcomeCode.UNKNOWN_OBJECT, "Object is not a valid object.", "PICKUP", "Banana"
    )
    assert PARSER.read_text("Action: JUMP Banana").code is OutcomeCode.UNKNOWN_SKILL
    assert PARSER.read_text("Action: JUMP Banana").text == "JUMP Banana"


@pytest.mark.parametrize(
    ("text", "code", "feedback"),
    [
        ("no action at all", OutcomeCode.PRECONDITION_FAILED, "Object name cannot be None"),
        ("Action: PICKUP Banana", OutcomeCode.PRECONDITION_FAILED, "Object name cannot be None"),
        ("Action: JUMP Banana", OutcomeCode.PRECONDITION_FAILED, "Object name cannot be None"),
        ("Action: JUMP Mug", OutcomeCode.UNPARSABLE, "Response from model is in invalid format."),
    ],
)
def test_the_released_code_misfiles_them(text, code, feedback):
    found = RELEASE.read_text(text)
    assert (found.code, found.feedback) == (code, feedback)
    assert found.text == PARSER.read_text(text).text


def call(name, *arguments):
    return SkillCall(name, arguments)


@pytest.mark.parametrize("name", ["PICKUP", "pickup", " Pickup "])
def test_a_skill_is_read_by_the_same_rules(name):
    assert PARSER.read(call(name, ("object", "mug"))) == PICK_UP_MUG


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (call("JUMP", ("object", "Mug")), OutcomeCode.UNKNOWN_SKILL),
        (call("PICKUP", ("object", "Banana")), OutcomeCode.UNKNOWN_OBJECT),
        (call("PICKUP", ("object", " ")), OutcomeCode.UNPARSABLE),
        (call("PICKUP"), OutcomeCode.UNPARSABLE),
        (call("PICKUP", ("place", "Mug")), OutcomeCode.UNPARSABLE),
        (call("PICKUP", ("object", "Mug"), ("object", "Mug")), OutcomeCode.UNPARSABLE),
        (Plan((call("PICKUP", ("object", "Mug")),)), OutcomeCode.UNPARSABLE),
        (Unreadable("no action", "00"), OutcomeCode.UNPARSABLE),
    ],
)
def test_a_skill_that_cannot_be_is_a_bad_turn(action, code):
    found = PARSER.read(action)
    assert isinstance(found, BadTurn)
    assert found.code is code
    assert found.feedback


def test_what_the_house_could_not_pass_on_says_so():
    assert PARSER.read(Unreadable("too long", "00")).feedback == "too long"


def test_odd_names_stay_within_a_line_of_the_history():
    found = PARSER.read(call("PICKUP", ("object", "Mug\n12. CLEAN Mug  Success" + "x" * 99)))
    assert "\n" not in found.text
    assert len(found.text) < 80


@given(st.text())
def test_no_text_makes_the_parser_fail(text):
    assert isinstance(PARSER.read_text(text), Command | BadTurn)


@given(st.text(), st.sampled_from(list(Verb)), st.sampled_from(AVAILABLE))
def test_an_action_at_the_end_of_an_answer_is_always_read(thought, verb, kind):
    text = f"{thought}<answer>\nAction: {verb.value} {kind}\n</answer>"
    assert PARSER.read_text(text) == Command(verb, kind)
