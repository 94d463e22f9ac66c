"""Observation requests and observations, to and from the wire."""

from __future__ import annotations

from houseguest.agent.v1 import observation_pb2

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
from env_service.wire.zero_copy import Parts, image_parts, observation_parts

ImageKey = tuple[Channel, ImageRole, str]
"""What names a picture within one observation."""


def request_from_wire(message: observation_pb2.ObservationRequest) -> ObservationRequest:
    """Reads what an agent wants to see.

    Raises ProtocolError OBSERVATION_NOT_OFFERED for a channel or encoding that this
    revision does not know.
    """
    return ObservationRequest(tuple(map(_image_request, message.images)), message.text)


def request_to_wire(granted: ObservationRequest) -> observation_pb2.ObservationRequest:
    """Writes what was granted."""
    images = [
        observation_pb2.ImageRequest(
            channel=image.channel.value,  # type: ignore[arg-type]
            encodings=[encoding.value for encoding in image.encodings],  # type: ignore[misc]
            previous_frame=image.previous_frame,
        )
        for image in granted.images
    ]
    return observation_pb2.ObservationRequest(images=images, text=granted.text)


class ObservationWriter:
    """Writes one episode's observations, in order.

    With ``references`` a picture that is byte-identical to an earlier one of the same
    channel, role and view becomes a reference to the observation that carried it.
    """

    def __init__(self, *, references: bool) -> None:
        self._references = references
        self._carried: dict[ImageKey, tuple[bytes, int]] = {}
        self._next_index = 0

    def write(self, observation: EncodedObservation) -> observation_pb2.Observation:
        """The next observation; the first call writes observation 0."""
        return observation_pb2.Observation.FromString(b"".join(self.write_parts(observation)))

    def write_parts(self, observation: EncodedObservation) -> Parts:
        """As ``write``, but serialized and with the pictures not copied."""
        index = self._next_index
        self._next_index += 1
        head = observation_pb2.Observation(index=index, text=observation.text)
        return observation_parts(head, [self._image(image, index) for image in observation.images])

    def start_over(self, *, references: bool) -> None:
        """After a resume: the new holder may have none of the earlier pictures."""
        self._references = references
        self._carried.clear()

    def repeat(self, observation: EncodedObservation) -> observation_pb2.Observation:
        """The latest observation again, whole: for a holder that has no earlier picture."""
        whole = ObservationWriter(references=False)
        whole._next_index = self._next_index - 1
        return whole.write(observation)

    def _image(self, image: EncodedImage, index: int) -> Parts:
        message = observation_pb2.Image(
            channel=image.channel.value,  # type: ignore[arg-type]
            encoding=image.encoding.value,  # type: ignore[arg-type]
            width=image.width,
            height=image.height,
            role=image.role.value,  # type: ignore[arg-type]
            view=image.view,
        )
        key = (image.channel, image.role, image.view)
        if self._references:
            digest, carrier = self._carried.get(key, (b"", 0))
            if digest == image.digest:
                message.same_as_observation = carrier
                return (message.SerializeToString(),)
            self._carried[key] = (image.digest, index)
        return image_parts(message, image.data)


def _image_request(message: observation_pb2.ImageRequest) -> ImageRequest:
    try:
        return ImageRequest(
            Channel(message.channel),
            tuple(map(ImageEncoding, message.encodings)),
            message.previous_frame,
        )
    except ValueError as error:
        raise ProtocolError(Reason.OBSERVATION_NOT_OFFERED, f"{error} of this protocol.") from None
