"""What an agent sees."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from houseguest.agent.v1 import observation_pb2

from .enums import Channel, ImageEncoding, ImageRole
from .errors import ImageError
from .zero_copy import Pictures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Image:
    """One picture. ``width`` and ``height`` are in pixels; ``buffer`` has the format ``encoding``.

    ``view`` names the picture if ``role`` is VIEW, and is empty otherwise.
    """

    channel: Channel
    encoding: ImageEncoding
    width: int
    height: int
    role: ImageRole
    view: str
    buffer: bytes | memoryview = field(repr=False)

    @property
    def data(self) -> bytes:
        """A copy of ``buffer`` as bytes."""
        return bytes(self.buffer)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of ``data``."""
        return hashlib.sha256(self.buffer).hexdigest()

    @property
    def pixels(self) -> npt.NDArray[np.uint8] | npt.NDArray[np.float32]:
        """uint8 [H, W, 3], or float32 [H, W] in metres for depth. Read-only.

        Needs numpy, and Pillow for anything but raw pixels. Raises ImageError for a broken
        picture, or with the name of a missing package.
        """
        numpy = _import("numpy", "to see pixels as an array")
        decoded: npt.NDArray[np.uint8] | npt.NDArray[np.float32]
        try:
            if self.encoding is ImageEncoding.RAW:
                samples = numpy.frombuffer(self.buffer, numpy.uint8)
                decoded = samples.reshape(self.height, self.width, 3)
            elif self.encoding is ImageEncoding.RAW_F32:
                samples = numpy.frombuffer(self.buffer, "<f4")
                decoded = samples.reshape(self.height, self.width)
            else:
                decoded = numpy.asarray(self._unpacked())
        except (ValueError, OSError) as error:
            raise ImageError(
                f"A picture of {self.width} × {self.height} pixels with {len(self.buffer)} bytes"
                f" is not valid {self.encoding.name}: {error}"
            ) from error
        decoded.setflags(write=False)
        return decoded

    def _unpacked(self) -> Any:
        opener = _import("PIL.Image", f"to decode {self.encoding.name}; or use Image.data")
        import io  # noqa: PLC0415 - only here

        return opener.open(io.BytesIO(self.data)).convert("RGB")


@dataclass(frozen=True, slots=True)
class Observation:
    """What the agent sees at one moment: 0 opens the episode, and n follows step n - 1."""

    index: int
    text: str = ""
    images: tuple[Image, ...] = ()

    @property
    def image(self) -> Image:
        """The current colour picture, or the first picture if there is none.

        Raises ImageError if the observation has no pictures.
        """
        if not self.images:
            raise ImageError(
                "This observation has no pictures: the run's condition shows only texts, or"
                " the agent's ObservationRequest asked for no channel."
            )
        for image in self.images:
            if image.channel is Channel.RGB and image.role is ImageRole.CURRENT:
                return image
        return self.images[0]


_Kind = tuple[int, int, str]


class Album:
    """Reads the observations of one episode and resolves references to earlier pictures.

    With ``keep`` it stores the newest picture of each kind, so that later ones can refer to it.
    """

    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        self._kept: dict[_Kind, tuple[int, bytes | memoryview]] = {}

    def read(self, message: observation_pb2.Observation, pictures: Pictures = ()) -> Observation:
        """The observation with all its pictures; their data may be in ``pictures``.

        Raises ImageError for a reference to a picture that is not the newest of its kind.
        """
        index, taken = message.index, iter(pictures)
        images = tuple(self._image(index, image, taken) for image in message.images)
        return Observation(index, message.text, images)

    def _image(
        self, index: int, message: observation_pb2.Image, taken: Iterator[memoryview]
    ) -> Image:
        data: bytes | memoryview
        if message.WhichOneof("content") == "same_as_observation":
            data = self._earlier(message)
        else:
            data = message.data or next(taken, b"")
            if self._keep:
                self._kept[_kind(message)] = (index, data)
        return Image(
            Channel(message.channel),
            ImageEncoding(message.encoding),
            message.width,
            message.height,
            ImageRole(message.role),
            message.view,
            data,
        )

    def _earlier(self, message: observation_pb2.Image) -> bytes | memoryview:
        wanted = message.same_as_observation
        index, data = self._kept.get(_kind(message), (-1, b""))
        if index != wanted:
            raise ImageError(
                f"The service refers to a picture of observation {wanted}, which is not available."
            )
        return data


def _kind(message: observation_pb2.Image) -> _Kind:
    return message.channel, message.role, message.view


def _import(module: str, purpose: str) -> Any:
    from importlib import import_module  # noqa: PLC0415 - as lazy as what it imports

    try:
        return import_module(module)
    except ImportError as error:
        package = "pillow" if module.startswith("PIL") else module
        raise ImageError(f"{package} is needed {purpose}: pip install {package}") from error
