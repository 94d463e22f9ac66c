"""An episode as messages."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest_agent import Episode, OutcomeCode, SkillCall, Text
from houseguest_agent.step import PastStep
from model_guest.allowed_replies import reply_schema
from model_guest.answers.reader import Answer
from model_guest.conversation import Conversation, Window
from model_guest.model import Message, Picture, Role
from model_guest.options import ALL
from model_guest.prompt_set import DEFAULT_FOLDER, PromptSet

from tests.unit.agents.model_guest.episodes import PNG, advance, episode

DEFAULT = DEFAULT_FOLDER


def converse(playing: Episode, window: Window | None = None, **settings: str) -> Conversation:
    return Conversation(
        playing,
        PromptSet(DEFAULT, settings),
        window or Window(ALL, 0),
        choosing=False,
        sees=True,
    )


def flat(messages: tuple[Message, ...]) -> list[Any]:
    """Everything in order, each text by itself: what a server reads."""
    pieces: list[Any] = []
    for message in messages:
        pieces.append(f"<{message.role.value}>")
        pieces += message.parts
    return pieces


def common(first: list[Any], second: list[Any]) -> tuple[int, int]:
    """Pieces that both share from the start, and characters of the next one."""
    count = 0
    while first[count] == second[count]:
        count += 1
    pairs = zip(first[count], second[count], strict=False) if isinstance(first[count], str) else ()
    return count, sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def play(conversation: Conversation, playing: Episode, turns: int, *pictures: bytes) -> None:
    for turn in range(turns):
        outcomes = advance(playing, f"View {turn}.", pictures, feedback="fine")
        conversation.record(
            Answer(SkillCall("forward"), thought=f"t{turn}", plan=f"p{turn}"), outcomes
        )


def test_what_never_changes_stands_first() -> None:
    conversation = converse(episode(max_steps=9))
    system, user = conversation.messages()
    assert (system.role, user.role) == (Role.SYSTEM, Role.USER)
    (text,) = user.parts
    assert isinstance(text, str)
    order = ["Mind the step.", "bring the mug", "9 steps", "A kitchen.", "Your next action"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_successive_prompts_share_all_but_the_end() -> None:
    playing = episode()
    conversation = converse(playing, memory="on")
    before = flat(conversation.messages())
    for _ in range(5):
        play(conversation, playing, 1)
        after = flat(conversation.messages())
        pieces, characters = common(before, after)
        # All messages but the last are shared, and of that one the lasting part.
        assert pieces == len(before) - 1
        lasting = before[-1].rindex("Your next action")
        plan = before[-1].find("Your plan so far")
        assert characters >= (plan if plan >= 0 else lasting) - 2
        before = after


def test_pictures_stand_behind_what_lasts() -> None:
    playing = episode(pictures=(PNG,))
    conversation = converse(playing)
    before = flat(conversation.messages())
    play(conversation, playing, 1, b"new", PNG)
    after = flat(conversation.messages())
    pieces, _ = common(before, after)
    assert isinstance(before[pieces], Picture)
    assert "A kitchen." in before[pieces - 1]
    shown = [each.data for each in after if isinstance(each, Picture)]
    assert shown == [PNG, b"new"]
    assert "before your last action, what you see now" in after[-1]


def test_roles_take_turns() -> None:
    playing = episode()
    conversation = converse(playing)
    play(conversation, playing, 3)
    roles = [message.role for message in conversation.messages()]
    assert roles == [Role.SYSTEM, *[Role.USER, Role.ASSISTANT] * 3, Role.USER]


def test_the_window_bounds_what_is_shown() -> None:
    playing = episode()
    conversation = converse(playing, Window(2, 0))
    play(conversation, playing, 5)
    messages = conversation.messages()
    assert sum(message.role is Role.ASSISTANT for message in messages) == 2
    text = str(messages[1].parts[0])
    assert "The first 3 turns are not shown." in text
    assert "View 2." in text
    assert "View 1." not in text


def test_past_pictures_only_where_asked_for() -> None:
    playing = episode(pictures=(b"0",))
    conversation = converse(playing, Window(ALL, 2))
    for n in range(1, 5):
        play(conversation, playing, 1, str(n).encode())
    shown = [each.data for each in flat(conversation.messages()) if isinstance(each, Picture)]
    assert shown == [b"2", b"3", b"4"]


def test_the_plan_and_the_notes_come_back_at_the_end() -> None:
    playing = episode()
    conversation = converse(playing, memory="on")
    outcomes = advance(playing, "There.")
    conversation.record(
        Answer(SkillCall("left"), plan="walk\nsit", memory="door is north"), outcomes
    )
    last = str(conversation.messages()[-1].parts[-1])
    assert "walk\nsit" in last
    assert "door is north" in last
    conversation.record(Answer(SkillCall("left"), understood=False), outcomes)
    assert "walk\nsit" in str(conversation.messages()[-1].parts[-1])


def test_shrinking_drops_pictures_then_turns_then_all_pictures_but_one() -> None:
    playing = episode(pictures=(b"0",))
    conversation = converse(playing, Window(ALL, 2))
    for n in range(1, 5):
        play(conversation, playing, 1, str(n).encode(), str(n - 1).encode())
    dropped = []
    while word := conversation.shrink():
        dropped.append(word)
    assert dropped == ["pictures", "pictures", "turns", "turns", "turns", "pictures_now"]
    shown = [each for each in flat(conversation.messages()) if isinstance(each, Picture)]
    assert [each.data for each in shown] == [b"4"]
    assert sum(m.role is Role.ASSISTANT for m in conversation.messages()) == 0


def test_words_of_others_are_never_template_code() -> None:
    nasty = "{{ 7 * 7 }}{% raise %}{{ settings }}"
    playing = episode(instruction=nasty, context={"rules": nasty})
    conversation = converse(playing)
    outcomes = advance(playing, nasty, feedback=nasty)
    conversation.record(Answer(SkillCall(nasty), thought=nasty, plan=nasty), outcomes)
    texts = [part for m in conversation.messages() for part in m.parts if isinstance(part, str)]
    assert sum(text.count(nasty) for text in texts) >= 6
    assert not any("49" in text for text in texts)


def test_a_half_played_episode_is_taken_over() -> None:
    playing = episode()
    outcomes = advance(playing, "A door.", code=OutcomeCode.REFUSED, feedback="too far")
    playing.history = [PastStep(SkillCall("pickup", {"object": "mug"}), outcomes)]
    conversation = converse(playing)
    messages = conversation.messages()
    assert '"pickup"' in str(messages[2].parts[0])
    assert "too far" in str(messages[3].parts[0])
    assert "A door." in str(messages[3].parts[0])


@pytest.mark.parametrize(
    "mode", [agent_pb2.MODE_STEPWISE, agent_pb2.MODE_PLAN, agent_pb2.MODE_ANSWER]
)
def test_the_default_set_serves_every_mode(mode: int) -> None:
    messages = converse(episode(mode)).messages()
    assert "bring the mug" in str(messages[-1].parts[0])


def test_one_message_holds_it_all_in_the_single_layout(tmp_path: Path) -> None:
    (tmp_path / "prompt.toml").write_text(
        'version = "1"\ndescription = "d"\nlayout = "single"\n'
        '[stepwise]\nform = "words"\nmarker = "Action:"\n',
        encoding="utf-8",
    )
    playing = episode()
    conversation = Conversation(
        playing, PromptSet(tmp_path), Window(ALL, 0), choosing=False, sees=True
    )
    play(conversation, playing, 2)
    _, user = conversation.messages()
    (text,) = user.parts
    assert "1. forward -> worked: fine\n\n2. forward -> worked: fine" in str(text)


def test_past_replies_have_the_form_that_is_asked_for() -> None:
    playing = episode()
    conversation = converse(playing, memory="on")
    said = Answer(SkillCall("forward"), thought="go", plan="one\ntwo", memory="door is east")
    conversation.record(said, advance(playing, "A hall."))
    (reply,) = [each for each in conversation.messages() if each.role is Role.ASSISTANT]
    assert json.loads(str(reply.parts[0])) == {
        "thought": "go",
        "plan": ["one", "two"],
        "memory": "door is east",
        "action": {"skill": "forward"},
    }


def test_an_unread_reply_is_answered_with_the_form_of_this_guest_alone() -> None:
    playing = episode()
    conversation = converse(playing)
    advised = "End with a line 'Action: '."
    told = advance(playing, "A hall.", code=OutcomeCode.UNPARSABLE, feedback=advised)
    conversation.record(Answer(Text("Hm?"), understood=False), told)
    last = str(conversation.messages()[-1].parts)
    assert "JSON object" in last
    assert advised not in last


def test_the_prompt_shows_an_example_that_the_schema_takes() -> None:
    playing = episode()
    conversation = converse(playing)
    system = str(conversation.messages()[0].parts[0])
    (line,) = [each for each in system.splitlines() if each.startswith("The form, ")]
    shown = json.loads(line[line.index("{") :])
    schema = reply_schema(playing.action_space, playing.mode, conversation.form)
    assert schema is not None
    assert list(shown) == schema["required"]
    assert shown["action"] == {"skill": "pickup", "arguments": {"object": "mug"}}
