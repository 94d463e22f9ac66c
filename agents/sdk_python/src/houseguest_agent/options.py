"""What an agent may choose about its link to the service."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from houseguest.agent.v1 import observation_pb2

from .enums import Channel, ImageEncoding
from .errors import SetupError

Transport = Literal["play", "unary"]


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """One channel of pictures that the agent wants.

    ``encodings`` in order of preference; empty is read as raw samples, which are RAW_F32
    for depth and RAW for every other channel.
    """

    channel: Channel
    encodings: tuple[ImageEncoding, ...] = ()
    previous_frame: bool = False


@dataclass(frozen=True, slots=True)
class ObservationRequest:
    """What the agent wants to see in every episode. Empty: all that is on offer, raw."""

    images: tuple[ImageRequest, ...] = ()
    text: bool = False

    def to_proto(self) -> observation_pb2.ObservationRequest:
        """The request as it travels."""
        message = observation_pb2.ObservationRequest(text=self.text)
        for image in self.images:
            entry = message.images.add(previous_frame=image.previous_frame)
            entry.channel = observation_pb2.Channel.ValueType(image.channel)
            encodings = image.encodings
            if not encodings and image.channel is Channel.DEPTH:
                encodings = (ImageEncoding.RAW_F32,)
            entry.encodings.extend(map(observation_pb2.ImageEncoding.ValueType, encodings))
        return message

    @classmethod
    def from_proto(cls, message: observation_pb2.ObservationRequest) -> ObservationRequest:
        """Reads what was granted."""
        images = (
            ImageRequest(
                Channel(image.channel),
                tuple(map(ImageEncoding, image.encodings)),
                image.previous_frame,
            )
            for image in message.images
        )
        return cls(tuple(images), message.text)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to put up with a bad link. All times in seconds, positive.

    ``patience`` bounds how long one request is repeated after its first failure,
    ``connect_patience`` the same for the very first call. Waits double from
    ``first_wait`` up to ``longest_wait``, each shortened by up to half at random, drawn
    from ``rng``. ``timeout`` is how long one attempt of a step may take before it is
    repeated, which joins the running step; None takes the service's own deadline plus
    10 s, or 120 s where it names none.
    """

    patience: float = 60.0
    connect_patience: float = 5.0
    first_wait: float = 0.05
    longest_wait: float = 5.0
    timeout: float | None = None
    rng: random.Random = field(default_factory=random.Random)


def _from_environment(name: str) -> Callable[[], str]:
    return lambda: os.environ.get(name, "")


@dataclass(frozen=True, slots=True)
class Options:
    """Where the service is, and how to talk to it. The defaults fit a started agent.

    ``address`` is ``unix:/path`` or ``host:port`` (default: HOUSEGUEST_ADDRESS); ``token``
    the lease token (HOUSEGUEST_TOKEN); ``ca`` a PEM file of root certificates, which
    turns TLS on (HOUSEGUEST_CA). ``state_file`` (HOUSEGUEST_STATE_FILE) is where the
    session's resume token is kept, so that a restarted process goes on where the
    last one stopped; empty keeps none. ``transport`` "play" is one stream for all steps
    where the service offers it, "unary" one call each.
    """

    address: str = field(default_factory=_from_environment("HOUSEGUEST_ADDRESS"))
    token: str = field(default_factory=_from_environment("HOUSEGUEST_TOKEN"), repr=False)
    ca: str = field(default_factory=_from_environment("HOUSEGUEST_CA"))
    state_file: str | Path = field(default_factory=_from_environment("HOUSEGUEST_STATE_FILE"))
    observation: ObservationRequest = ObservationRequest()
    transport: Transport = "play"
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    def check(self) -> None:
        """Raises SetupError for an option that cannot work."""
        if not self.address:
            raise SetupError(
                "No address of a service. Start the agent through the service, set"
                " HOUSEGUEST_ADDRESS to unix:/path/to/agent.sock or host:port, or pass"
                " Options(address=…)."
            )
        if not self.address.startswith("unix:") and ":" not in self.address:
            raise SetupError(
                f"Address {self.address!r} is neither unix:/path/to/agent.sock nor host:port."
            )
        if not self.token:
            raise SetupError(
                "No lease token. Set HOUSEGUEST_TOKEN to the token that the service handed out"
                " for this session, or pass Options(token=…)."
            )
        if self.transport not in ("play", "unary"):
            raise SetupError(f"Transport {self.transport!r} is neither 'play' nor 'unary'.")
