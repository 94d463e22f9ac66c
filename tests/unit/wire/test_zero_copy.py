"""What is put together by hand is what protobuf itself would have put together."""

from __future__ import annotations

from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.wire.zero_copy import StepAnswer, embed, image_parts, observation_parts

LENGTHS = st.one_of(st.integers(0, 300), st.sampled_from([2**14 - 1, 2**14, 2**21]))
"""Around the places where a length takes one more byte."""

heads = st.builds(
    observation_pb2.Image,
    channel=st.sampled_from([observation_pb2.CHANNEL_RGB, observation_pb2.CHANNEL_DEPTH]),
    encoding=st.just(observation_pb2.IMAGE_ENCODING_RAW),
    width=st.integers(0, 2**32 - 1),
    height=st.integers(0, 2**32 - 1),
    role=st.just(observation_pb2.IMAGE_ROLE_VIEW),
    view=st.text(max_size=20),
)
responses = st.builds(
    agent_pb2.StepResponse,
    episode_id=st.text(max_size=20),
    step_index=st.integers(0, 2**32 - 1),
    outcomes=st.lists(
        st.builds(
            action_pb2.ActionOutcome,
            code=st.sampled_from([1, 2, 8]),
            feedback=st.text(max_size=200),
        ),
        max_size=3,
    ),
    status=st.sampled_from([1, 2, 3, 4]),
)
observations = st.builds(
    observation_pb2.Observation, index=st.integers(0, 2**32 - 1), text=st.text(max_size=300)
)


@settings(deadline=None)
@given(number=st.integers(1, 2**29 - 1), length=LENGTHS)
def test_an_embedded_field_is_its_tag_its_length_and_its_bytes(number: int, length: int) -> None:
    data = b"d" * length
    joined = b"".join(embed(number, (data[:3], data[3:])))
    # A message that does not know the field keeps it as it came, and writes it out again.
    stranger = agent_pb2.AllDone.FromString(joined)
    assert stranger.SerializeToString() == joined


@settings(deadline=None)
@given(head=heads, length=LENGTHS)
def test_an_image(head: observation_pb2.Image, length: int) -> None:
    data = b"\xff" * length
    wanted = observation_pb2.Image()
    wanted.CopyFrom(head)
    wanted.data = data
    assert b"".join(image_parts(head, data)) == wanted.SerializeToString()


@settings(deadline=None)
@given(head=observations, images=st.lists(heads, max_size=3))
def test_an_observation(
    head: observation_pb2.Observation, images: list[observation_pb2.Image]
) -> None:
    parts = [image_parts(image, b"pixels") for image in images]
    found = observation_pb2.Observation.FromString(b"".join(observation_parts(head, parts)))
    for image in images:
        image.data = b"pixels"
    wanted = observation_pb2.Observation(index=head.index, text=head.text, images=images)
    assert found == wanted


class TestStepAnswer:
    @settings(deadline=None)
    @given(response=responses, observation=observations)
    def test_it_is_a_step_response(
        self, response: agent_pb2.StepResponse, observation: observation_pb2.Observation
    ) -> None:
        answer = StepAnswer.of(response, (observation.SerializeToString(),))
        response.observation.CopyFrom(observation)
        assert agent_pb2.StepResponse.FromString(answer.to_bytes()) == response
        assert answer.to_message() == response

    @settings(deadline=None)
    @given(response=responses, request_id=st.integers(0, 2**64 - 1))
    def test_on_play_it_answers_the_request(
        self, response: agent_pb2.StepResponse, request_id: int
    ) -> None:
        data = StepAnswer.of(response).to_play_bytes(request_id)
        wanted = agent_pb2.PlayResponse(request_id=request_id, step=response)
        assert agent_pb2.PlayResponse.FromString(data) == wanted
        assert data == wanted.SerializeToString()

    def test_without_an_observation_the_field_is_absent(self) -> None:
        answer = StepAnswer.of(agent_pb2.StepResponse(step_index=3))
        assert not answer.to_message().HasField("observation")

    def test_the_first_observation_is_there_although_it_is_empty(self) -> None:
        nothing = observation_parts(observation_pb2.Observation(index=0), [])
        answer = StepAnswer.of(agent_pb2.StepResponse(), nothing)
        assert answer.to_message().HasField("observation")

    def test_it_can_be_sent_any_number_of_times(self) -> None:
        answer = StepAnswer.of(agent_pb2.StepResponse(episode_id="e", step_index=1))
        assert answer.to_bytes() == answer.to_bytes()
        assert answer.to_play_bytes(1) != answer.to_play_bytes(2)
        assert answer.to_play_bytes(1) == answer.to_play_bytes(1)
