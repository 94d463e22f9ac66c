"""ALFRED's replies: what the house is sent, and what a model may choose among."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from houseguest_agent import ActionSpace, Plan, SkillCall, Text
from model_guest.allowed_replies import list_candidates, reply_schema
from model_guest.answers.reader import Answer, AnswerReader
from model_guest.budget import SpendingAccount
from model_guest.decision import Decider, Decision
from model_guest.model import Finish, Reply
from model_guest.options import Settings, SpendingBudget

from env_service.suites.alfred.skills.vocabulary import SKILLS
from tests.unit.agents.model_guest.alfred_episodes import PLAN, STEPS, alfred_episode, converse
from tests.unit.agents.model_guest.episodes import ScriptedModel

SPOKEN = "find a mug, pick up the mug, find a sink, put down the mug, done"


def read(said: str | Reply, play: str = PLAN, /, ask: str = "off", **settings: str) -> Answer:
    playing = alfred_episode(play, ask=ask)
    form = converse(playing, **settings).form
    reply = said if isinstance(said, Reply) else Reply(said)
    return AnswerReader(playing.action_space, playing.mode, form).read(reply)


@pytest.mark.parametrize("said", [SPOKEN, f"Plan: {SPOKEN}", f"```\n{SPOKEN}\n```", "1. done"])
def test_a_plan_goes_to_the_house_in_the_models_words(said: str) -> None:
    answer = read(said)
    assert answer.action == Text(said)
    assert answer.understood


@pytest.mark.parametrize("said", ["", "I cannot do that.", "First I would find a mug."])
def test_what_holds_no_plan_goes_too_but_is_not_understood(said: str) -> None:
    answer = read(said)
    assert answer.action == Text(said)
    assert not answer.understood


def test_a_refusal_is_an_answer() -> None:
    answer = read(Reply("No.", finish=Finish.REFUSED))
    assert (answer.action, answer.repairs) == (Text("No."), {"refusal": 1})


@pytest.mark.parametrize("play", [PLAN, STEPS])
def test_thoughts_stay_with_the_guest(play: str) -> None:
    said = SPOKEN if play == PLAN else "find a mug"
    thinking = f"I find a mug, then the sink. Answer: later.\n\n**Answer:** {said}\n"
    for shown in ("on", "off"):
        answer = read(thinking, play, thought=shown)
        assert answer.action == Text(said)
        assert answer.thought.startswith("I find a mug, then")
        assert answer.understood
    assert read(f"<think>Hm.</think>{said}", play).action == Text(said)


def test_an_answer_that_never_comes_leaves_the_words_as_they_are() -> None:
    assert read("Let me see. Answer:").action == Text("Let me see. Answer:")


@pytest.mark.parametrize("said", ["find a mug", "3. find a mug.", '"turn on the faucet"', "Done."])
def test_a_step_is_one_skill(said: str) -> None:
    answer = read(said, STEPS)
    assert (answer.action, answer.understood) == (Text(said), True)


@pytest.mark.parametrize("said", [SPOKEN, "I find a mug", "find a mug\nto wash it", "doner", ""])
def test_what_the_house_takes_for_no_step_is_not_understood(said: str) -> None:
    answer = read(said, STEPS)
    assert (answer.action, answer.understood) == (Text(said), False)


@pytest.mark.parametrize("play", [PLAN, STEPS])
def test_a_question_is_understood(play: str) -> None:
    assert read("ask: Where does it go, please?", play, ask="on").understood


class TestJson:
    """Replies that a server can hold a model to."""

    @pytest.mark.parametrize("ask", ["off", "on"])
    def test_the_schema_has_every_skill_with_its_objects(self, ask: str) -> None:
        playing = alfred_episode(PLAN, ask=ask)
        form = converse(playing, answer="json", thought="on").form
        schema = reply_schema(playing.action_space, playing.mode, form)
        assert schema is not None
        steps = [called(playing.action_space, text) for text in SKILLS]
        jsonschema.validate({"thought": "Hm.", "steps": steps}, schema)
        wrong = {"skill": "open", "arguments": {"object": "the apple"}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"thought": "Hm.", "steps": [wrong]}, schema)

    def test_a_plan_is_read_as_calls(self) -> None:
        find = {"skill": "find", "arguments": {"object": "a mug"}}
        said = json.dumps({"steps": [find, {"skill": "done"}]})
        expected = Plan((SkillCall("find", {"object": "a mug"}), SkillCall("done")))
        assert read(said, answer="json").action == expected
        listed = json.dumps(["find a mug", "done"])
        assert read(listed, answer="json").action == expected

    def test_a_thing_that_is_not_on_the_list_is_the_houses_affair(self) -> None:
        said = json.dumps({"steps": [{"skill": "find", "arguments": {"object": "a couch"}}]})
        assert read(said, answer="json").action == Plan((SkillCall("find", {"object": "a couch"}),))

    def test_a_question_stands_alone(self) -> None:
        call = {"skill": "ask", "arguments": {"question": "Where to?"}}
        expected = SkillCall("ask", {"question": "Where to?"})
        plan = read(json.dumps({"steps": [call]}), PLAN, ask="on", answer="json")
        assert plan.action == Plan((expected,))
        step = read(json.dumps({"action": call}), STEPS, ask="on", answer="json")
        assert step.action == expected


def called(space: ActionSpace, text: str) -> dict[str, Any]:
    """A skill string as a call."""
    skill = max((s for s in space.skills if text.startswith(s.name)), key=lambda s: len(s.name))
    value = text.removeprefix(skill.name).strip()
    return {"skill": skill.name, **({"arguments": {"object": value}} if value else {})}


class TestChoosing:
    """The likeliest of all skills."""

    @pytest.mark.parametrize("ask", ["off", "on"])
    def test_candidates_are_the_214_strings_and_no_question(self, ask: str) -> None:
        playing = alfred_episode(STEPS, ask=ask)
        form = converse(playing, choosing=True).form
        candidates = list_candidates(playing.action_space, form)
        assert sorted(candidates) == sorted(SKILLS)
        assert candidates["find an apple"] == SkillCall("find", {"object": "an apple"})
        assert candidates["done"] == SkillCall("done")

    def test_what_is_chosen_is_a_call(self) -> None:
        decision = decide(STEPS, "turn on the desk lamp", Settings(choose=True))
        assert decision.answer.action == SkillCall("turn on", {"object": "the desk lamp"})

    def test_a_whole_plan_is_written(self) -> None:
        assert decide(PLAN, SPOKEN, Settings(choose=True)).answer.action == Text(SPOKEN)


def decide(play: str, said: str | list[str], settings: Settings) -> Decision:
    """What a guest makes of a model that says this, one text after the other."""
    queue = [said] if isinstance(said, str) else list(said)
    model = ScriptedModel(lambda _: queue.pop(0))
    playing = alfred_episode(play)
    conversation = converse(playing, choosing=settings.choose)
    decision = Decider(
        model, settings, SpendingAccount(SpendingBudget()), playing, conversation
    ).decide(None)
    if settings.choose and play == STEPS:
        assert set(model.requests[0].candidates) == set(SKILLS)
    else:
        assert not model.requests[0].candidates
    assert not queue
    return decision


def test_an_unreadable_plan_is_asked_for_again() -> None:
    decision = decide(PLAN, ["Hm.", SPOKEN], Settings(reask=1))
    assert decision.answer.action == Text(SPOKEN)
    assert decision.notes == {"asked_again": 1}
    last = decide(PLAN, ["Hm.", ""], Settings(reask=1))
    assert last.answer.action == Text("")
    assert last.notes == {"asked_again": 1, "not_understood": 1}
