"""Pictures are taken out of an answer without harm to either."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2
from houseguest_agent.zero_copy import read_play, read_step
from hypothesis import given
from hypothesis import strategies as st

LARGE = st.builds(
    lambda size, byte: bytes([byte]) * size, st.integers(40_000, 50_000), st.integers(0, 255)
)


def answer(pictures: list[bytes], text: str = "") -> agent_pb2.StepResponse:
    images = [
        observation_pb2.Image(
            channel=observation_pb2.CHANNEL_RGB, width=2**20, view="sink", data=data
        )
        for data in pictures
    ]
    return agent_pb2.StepResponse(
        episode_id="ep",
        step_index=300,
        outcomes=[action_pb2.ActionOutcome(feedback=text)],
        observation=observation_pb2.Observation(index=301, images=images, text=text),
        status=agent_pb2.EPISODE_STATUS_RUNNING,
    )


@given(pictures=st.lists(LARGE, max_size=3), text=st.text(max_size=50))
def test_nothing_is_lost(pictures: list[bytes], text: str) -> None:
    response = answer(pictures, text)
    play = agent_pb2.PlayResponse(request_id=2**40, step=response)
    step, streamed = read_step(response.SerializeToString()), read_play(play.SerializeToString())
    assert streamed.response.request_id == 2**40
    for found, taken in (
        (step.response, step.pictures),
        (streamed.response.step, streamed.pictures),
    ):
        assert [bytes(picture) for picture in taken] == pictures
        for image, data in zip(found.observation.images, pictures, strict=True):
            assert image.WhichOneof("content") == "data"
            image.data = data
        assert found == response


def test_a_small_answer_is_read_as_ever() -> None:
    response = answer([b"small"])
    read = read_step(response.SerializeToString())
    assert (read.response, read.pictures) == (response, ())


def test_answers_of_other_kinds_are_read_as_ever() -> None:
    opening = agent_pb2.Episode(instruction="x" * 50_000)
    begun = agent_pb2.BeginEpisodeResponse(episode=opening)
    play = agent_pb2.PlayResponse(request_id=1, begin_episode=begun)
    assert read_play(play.SerializeToString()).response == play


def test_fields_of_a_newer_house_pass_through() -> None:
    unknown = b"\xf9\x07" + b"12345678" + b"\xfd\x07" + b"1234" + b"\xf8\x07\x05"
    data = answer([b"p" * 40_000]).SerializeToString() + unknown
    read = read_step(data)
    assert [len(picture) for picture in read.pictures] == [40_000]
    assert read.response.SerializeToString().endswith(unknown)


@pytest.mark.parametrize("cut", [1, 10, 20_000])
def test_a_torn_answer_is_an_error(cut: int) -> None:
    data = answer([b"p" * 60_000]).SerializeToString()[:-cut]
    with pytest.raises(DecodeError):
        read_step(data)


def test_garbage_is_an_error() -> None:
    with pytest.raises(DecodeError):
        read_play(b"\xff" * 40_000)
