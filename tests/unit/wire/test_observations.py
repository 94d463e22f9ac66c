"""An episode's observations: whole pictures, references to them, and what may be asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from houseguest.agent.v1 import observation_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.domain.observation import (
    Channel,
    EncodedImage,
    EncodedObservation,
    ImageEncoding,
    ImageRequest,
    ImageRole,
    ObservationRequest,
)
from env_service.domain.reasons import ProtocolError, Reason
from env_service.wire.observations import ObservationWriter, request_from_wire, request_to_wire

SIZES = st.one_of(st.integers(0, 200), st.sampled_from([16_383, 16_384, 3 * 512 * 512]))


def picture(
    data: bytes,
    channel: Channel = Channel.RGB,
    role: ImageRole = ImageRole.CURRENT,
    view: str = "",
) -> EncodedImage:
    digest = hashlib.sha256(data).digest()
    return EncodedImage(channel, ImageEncoding.PNG, 64, 48, role, view, digest, data)


def seen(*pictures: EncodedImage) -> EncodedObservation:
    return EncodedObservation("text", pictures)


def pictures(sizes: Sequence[int]) -> tuple[EncodedImage, ...]:
    """One view for each size, in bytes, of its data."""
    views = [(ImageRole.VIEW, f"view-{number}") for number in range(len(sizes))]
    return tuple(
        picture(bytes([number]) * size, Channel.RGB, role, view)
        for number, (size, (role, view)) in enumerate(zip(sizes, views, strict=True))
    )


def as_message(observation: EncodedObservation, index: int) -> observation_pb2.Observation:
    """The observation with all its pictures, made by protobuf alone."""
    images = [
        observation_pb2.Image(
            channel=image.channel.value,  # type: ignore[arg-type]
            encoding=image.encoding.value,  # type: ignore[arg-type]
            width=image.width,
            height=image.height,
            role=image.role.value,  # type: ignore[arg-type]
            view=image.view,
            data=image.data,
        )
        for image in observation.images
    ]
    return observation_pb2.Observation(index=index, text=observation.text, images=images)


@settings(deadline=None)
@given(text=st.text(max_size=2000), sizes=st.lists(SIZES, max_size=4))
def test_an_observation_is_what_protobuf_would_have_made(text: str, sizes: list[int]) -> None:
    observation = EncodedObservation(text, pictures(sizes))
    writer = ObservationWriter(references=False)
    for index in range(2):
        data = b"".join(writer.write_parts(observation))
        message = observation_pb2.Observation.FromString(data)
        wanted = as_message(observation, index)
        assert message == wanted
        assert message.SerializeToString() == wanted.SerializeToString()
        assert len(data) == len(wanted.SerializeToString())


def contents(
    writer: ObservationWriter, observations: Sequence[EncodedObservation]
) -> list[bytes | int]:
    """The only picture of each: its data, or the index that it refers to."""
    told: list[bytes | int] = []
    for observation in observations:
        (image,) = writer.write(observation).images
        whole = image.WhichOneof("content") == "data"
        told.append(image.data if whole else image.same_as_observation)
    return told


A, B = seen(picture(b"A")), seen(picture(b"B"))


class TestReferences:
    def test_an_unchanged_picture_refers_to_the_one_that_carried_it(self) -> None:
        writer = ObservationWriter(references=True)
        assert contents(writer, [A, A, A]) == [b"A", 0, 0]

    def test_only_the_newest_whole_picture_is_referred_to(self) -> None:
        writer = ObservationWriter(references=True)
        assert contents(writer, [A, B, A, A, B, B]) == [b"A", b"B", b"A", 2, b"B", 4]

    def test_they_are_sent_only_where_they_were_asked_for(self) -> None:
        writer = ObservationWriter(references=False)
        assert contents(writer, [A, A]) == [b"A", b"A"]

    def test_all_else_is_told_of_a_picture_that_is_only_referred_to(self) -> None:
        writer = ObservationWriter(references=True)
        (whole,), (reference,) = (writer.write(A).images for _ in range(2))
        whole.ClearField("data")
        reference.ClearField("same_as_observation")
        assert reference == whole

    def test_equal_pictures_of_another_channel_role_or_view_are_others(self) -> None:
        writer = ObservationWriter(references=True)
        writer.write(A)
        others = seen(
            picture(b"A", Channel.TOP_DOWN),
            picture(b"A", role=ImageRole.PREVIOUS),
            picture(b"A", role=ImageRole.VIEW, view="sink"),
            picture(b"A", role=ImageRole.VIEW, view="bed"),
            picture(b"A"),
        )
        content = [image.WhichOneof("content") for image in writer.write(others).images]
        assert content == ["data"] * 4 + ["same_as_observation"]

    def test_a_new_holder_gets_the_next_picture_whole(self) -> None:
        writer = ObservationWriter(references=True)
        assert contents(writer, [A, A]) == [b"A", 0]
        writer.start_over(references=True)
        assert contents(writer, [A, A]) == [b"A", 2]

    def test_a_new_holder_may_want_no_references(self) -> None:
        writer = ObservationWriter(references=True)
        writer.write(A)
        writer.start_over(references=False)
        assert contents(writer, [A, A]) == [b"A", b"A"]


@pytest.mark.parametrize("references", [True, False])
def test_the_latest_observation_is_repeated_whole(references: bool) -> None:
    writer = ObservationWriter(references=references)
    for _ in range(3):
        latest = writer.write(A)
    again = writer.repeat(A)
    assert again == as_message(A, 2)
    assert again.index == latest.index
    assert writer.write(A).index == 3


class TestRequests:
    def test_a_request_is_read_and_its_grant_written_alike(self) -> None:
        images = (
            ImageRequest(Channel.RGB, (ImageEncoding.WEBP_LOSSLESS, ImageEncoding.PNG), True),
            ImageRequest(Channel.DEPTH),
        )
        request = ObservationRequest(images, text=True)
        assert request_from_wire(request_to_wire(request)) == request

    def test_an_empty_request_is_empty(self) -> None:
        assert request_from_wire(observation_pb2.ObservationRequest()) == ObservationRequest()

    @pytest.mark.parametrize("channel", [0, 99])
    def test_an_unknown_channel_is_named(self, channel: int) -> None:
        image = observation_pb2.ImageRequest(channel=channel)  # type: ignore[arg-type]
        assert str(channel) in refusal(image)

    @pytest.mark.parametrize("encoding", [0, 99])
    def test_an_unknown_encoding_is_named(self, encoding: int) -> None:
        image = observation_pb2.ImageRequest(
            channel=observation_pb2.CHANNEL_RGB,
            encodings=[observation_pb2.IMAGE_ENCODING_RAW, encoding],  # type: ignore[list-item]
        )
        assert str(encoding) in refusal(image)


def refusal(image: observation_pb2.ImageRequest) -> str:
    with pytest.raises(ProtocolError) as caught:
        request_from_wire(observation_pb2.ObservationRequest(images=[image]))
    assert caught.value.reason is Reason.OBSERVATION_NOT_OFFERED
    return caught.value.message
