"""What an agent asks to see, and what it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Channel(IntEnum):
    """A kind of picture. Values equal ``houseguest.agent.v1.Channel``."""

    RGB = 1
    DEPTH = 2
    SEGMENTATION = 3
    TOP_DOWN = 4


class ImageRole(IntEnum):
    """When, or from where, a picture was taken. Values equal ``houseguest.agent.v1.ImageRole``."""

    CURRENT = 1
    PREVIOUS = 2
    VIEW = 3


class ImageEncoding(IntEnum):
    """How image bytes are to be read. Values equal ``houseguest.agent.v1.ImageEncoding``."""

    RAW = 1
    PNG = 2
    WEBP_LOSSLESS = 3
    JPEG = 4
    RAW_F32 = 5


LOSSLESS = (ImageEncoding.RAW, ImageEncoding.PNG, ImageEncoding.WEBP_LOSSLESS)


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """One channel of pictures that an agent asks for, or is granted.

    ``encodings`` in order of preference; in a grant exactly one. Empty is read as raw.
    """

    channel: Channel
    encodings: tuple[ImageEncoding, ...] = ()
    previous_frame: bool = False


@dataclass(frozen=True, slots=True)
class ObservationRequest:
    """The channels that an agent asks for, or is granted. Empty asks for all on offer."""

    images: tuple[ImageRequest, ...] = ()
    text: bool = False


@dataclass(frozen=True, slots=True)
class ObservationOffer:
    """What a suite's condition is ready to show.

    ``channels`` maps each channel on offer to its legal encodings.
    """

    channels: tuple[tuple[Channel, tuple[ImageEncoding, ...]], ...] = ()
    text: bool = False
    previous_frame: bool = False

    def grant(self, request: ObservationRequest) -> ObservationRequest:
        """Settles a request: one encoding for each channel asked for.

        An empty request is granted everything, raw where that is legal. Raises ValueError
        naming the first thing asked for that is not on offer.
        """
        if not request.images and not request.text:
            images = tuple(ImageRequest(channel, legal[:1]) for channel, legal in self.channels)
            return ObservationRequest(images, self.text)
        if request.text and not self.text:
            raise ValueError("text is not offered under this condition")
        seen: set[Channel] = set()
        for image in request.images:
            if image.channel in seen:
                raise ValueError(f"channel {image.channel.name} is asked for twice")
            seen.add(image.channel)
        return ObservationRequest(tuple(map(self._settle, request.images)), request.text)

    def _settle(self, image: ImageRequest) -> ImageRequest:
        legal = dict(self.channels).get(image.channel)
        if legal is None:
            offered = ", ".join(channel.name for channel, _ in self.channels) or "none"
            raise ValueError(f"channel {image.channel.name} is not offered; offered: {offered}")
        if image.previous_frame and not self.previous_frame:
            raise ValueError("the previous frame is not offered under this condition")
        for encoding in image.encodings or (ImageEncoding.RAW,):
            if encoding in legal:
                return ImageRequest(image.channel, (encoding,), image.previous_frame)
        names = ", ".join(encoding.name for encoding in legal)
        raise ValueError(f"none of the encodings asked for is legal; legal: {names}")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A rendered picture, before it is encoded.

    ``pixels`` is uint8 [H, W, 3] for colour channels and float32 [H, W], metres, for
    depth; C-contiguous. ``view`` is set exactly for ``ImageRole.VIEW``.
    """

    channel: Channel
    pixels: npt.NDArray[np.uint8] | npt.NDArray[np.float32]
    role: ImageRole = ImageRole.CURRENT
    view: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the agent sees at one moment: the granted frames and the granted text."""

    text: str = ""
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """An encoded picture, as it is sent and stored.

    ``digest`` is the SHA-256 of ``data``. ``width`` and ``height`` in pixels.
    """

    channel: Channel
    encoding: ImageEncoding
    width: int
    height: int
    role: ImageRole
    view: str
    digest: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class EncodedObservation:
    """An observation as the gateway handles it: text, and images already encoded."""

    text: str = ""
    images: tuple[EncodedImage, ...] = ()
