"""What engine and worker say arrives as it was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.engine.messages import Unframer, frame_message, pack_action, unpack_action

arguments = st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple)
calls = st.builds(SkillCall, st.text(), arguments)
actions = st.one_of(
    calls,
    st.builds(Text, st.text()),
    st.builds(Plan, st.lists(calls, max_size=4).map(tuple)),
    st.builds(Unreadable, st.text(), st.text()),
)


@given(actions)
def test_every_action_survives(action: Action) -> None:
    assert unpack_action(pack_action(action)) == action


@given(st.lists(st.binary(max_size=200), max_size=6), st.data())
def test_messages_survive_any_cut(messages: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame_message, messages))
    unframer, heard, at = Unframer(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        heard += list(unframer.feed(memoryview(stream)[at : at + size]))
        at += size
    assert heard == messages


def test_a_message_does_not_change_with_the_buffer_it_was_read_from() -> None:
    stream = frame_message(("text", b"bytes"))
    buffer = bytearray(stream)
    (message,) = Unframer().feed(memoryview(buffer))
    buffer[:] = bytes(len(buffer))
    assert message == ("text", b"bytes")
