from __future__ import annotations

from houseguest.agent.v1 import action_pb2 as pb
from houseguest_agent import ActionSpace, Parameter, Plan, Skill, SkillCall, Text
from houseguest_agent.action import as_calls, decode_action, encode_action

SPACE = ActionSpace(
    (Skill("put", "Puts.", (Parameter("object", "What."), Parameter("place", "Where."))),),
    json_schema='{"oneOf": [{"type": "object"}]}',
)


def sent(action: SkillCall | Text | Plan) -> pb.Action:
    return encode_action(action, SPACE)


def test_arguments_travel_in_the_order_of_the_parameters() -> None:
    one = sent(SkillCall("put", {"place": "table", "object": "mug"}))
    other = sent(SkillCall("put", {"object": "mug", "place": "table"}))
    assert [each.name for each in one.skill.arguments] == ["object", "place"]
    assert one.SerializeToString() == other.SerializeToString()


def test_what_does_not_fit_is_sent_all_the_same() -> None:
    message = sent(SkillCall("put", {"colour": "red", "place": "table"}))
    assert [each.name for each in message.skill.arguments] == ["place", "colour"]
    assert sent(SkillCall("fly", {"to": "moon"})).skill.arguments[0].value == "moon"


def test_an_empty_plan_is_a_plan() -> None:
    assert sent(Plan(())).WhichOneof("kind") == "plan"


def test_an_empty_text_is_a_text() -> None:
    assert sent(Text("")).WhichOneof("kind") == "text"


def test_actions_survive_the_journey() -> None:
    call = SkillCall("put", {"object": "mug", "place": "table"})
    for action in (call, SkillCall("look"), Text("put it there"), Plan((call, SkillCall("look")))):
        assert decode_action(sent(action)) == action


def test_names_are_calls_without_arguments() -> None:
    assert as_calls(["look", SkillCall("put")]) == (SkillCall("look"), SkillCall("put"))


def test_the_schema_is_parsed_on_demand() -> None:
    assert SPACE.schema == {"oneOf": [{"type": "object"}]}
    assert ActionSpace(answer_format="a number").schema == {}


def test_skills_are_found_by_name() -> None:
    assert SPACE.skill("put") is SPACE.skills[0]
    assert SPACE.skill("fly") is None


def test_an_action_space_is_read_whole() -> None:
    message = pb.ActionSpace(
        skills=[
            pb.Skill(
                name="pickup",
                description="Takes.",
                parameters=[pb.Parameter(name="object", description="What.", choices=["mug"])],
            )
        ],
        json_schema="{}",
    )
    expected = Skill("pickup", "Takes.", (Parameter("object", "What.", ("mug",)),))
    assert ActionSpace.from_proto(message) == ActionSpace((expected,), "{}")
