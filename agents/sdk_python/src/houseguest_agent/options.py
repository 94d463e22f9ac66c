"""An agent's options for the connection to the service, and the limits of the service."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from houseguest.agent.v1 import agent_pb2, observation_pb2

from .enums import Channel, ImageEncoding
from .errors import SetupError
from .step import seconds

Transport = Literal["play", "unary"]


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A picture channel that the agent requests.

    ``encodings`` are in order of preference. If empty, the service sends raw samples: RAW_F32 for
    depth and RAW for every other channel.
    """

    channel: Channel
    encodings: tuple[ImageEncoding, ...] = ()
    previous_frame: bool = False


@dataclass(frozen=True, slots=True)
class ObservationRequest:
    """What the agent wants to see in every episode. Empty for everything on offer, raw."""

    images: tuple[ImageRequest, ...] = ()
    text: bool = False

    def to_proto(self) -> observation_pb2.ObservationRequest:
        """The request as a protobuf message."""
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
        """Reads what the service granted."""
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
    """How long to tolerate a bad connection. All times are in seconds and positive.

    Attributes:
        patience: How long to repeat one request after its first failure.
        connect_patience: The same, for the very first call.
        first_wait: The first wait; each wait is twice the previous one, and is shortened at
            random by up to half.
        longest_wait: The longest wait.
        timeout: How long one attempt of a step may take. The repeat then joins the running step.
            None uses the service's own deadline plus 10 s, or 120 s if it states none.
        rng: Draws how much waits are shortened.
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
    """Where the service is, and how to call it. The defaults fit an agent that a run started.

    Attributes:
        address: ``unix:/path`` or ``host:port`` (default: HOUSEGUEST_ADDRESS).
        token: The lease token (default: HOUSEGUEST_TOKEN).
        ca: A PEM file of root certificates, which turns on TLS (default: HOUSEGUEST_CA).
        observation: What the agent wants to see. Of several requests, the session gets the first
            that the run's condition offers.
        state_file: A file for the session's resume token (default: HOUSEGUEST_STATE_FILE), with
            which a restarted process continues where the last one stopped; empty for none.
        transport: "play" uses one stream for all steps if the service offers it, "unary" one call
            for each.
    """

    address: str = field(default_factory=_from_environment("HOUSEGUEST_ADDRESS"))
    token: str = field(default_factory=_from_environment("HOUSEGUEST_TOKEN"), repr=False)
    ca: str = field(default_factory=_from_environment("HOUSEGUEST_CA"))
    state_file: str | Path = field(default_factory=_from_environment("HOUSEGUEST_STATE_FILE"))
    observation: ObservationRequest | Sequence[ObservationRequest] = ObservationRequest()
    transport: Transport = "play"
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    @property
    def observations(self) -> tuple[ObservationRequest, ...]:
        """The requests to try, in order."""
        given = self.observation
        return (given,) if isinstance(given, ObservationRequest) else tuple(given)

    def check(self) -> None:
        """Raises SetupError for an invalid option."""
        if not self.observations:
            raise SetupError(
                "Options.observation is empty: give at least one ObservationRequest()."
            )
        if not self.address:
            raise SetupError(
                "No service address. Start the agent through the service, set"
                " HOUSEGUEST_ADDRESS to unix:/path/to/agent.sock or host:port, or pass"
                " Options(address=…)."
            )
        if not self.address.startswith("unix:") and ":" not in self.address:
            raise SetupError(
                f"Address {self.address!r} is neither unix:/path/to/agent.sock nor host:port."
            )
        if not self.token:
            raise SetupError(
                "No lease token. Set HOUSEGUEST_TOKEN to the token that the service issued"
                " for this session, or pass Options(token=…)."
            )
        if self.transport not in ("play", "unary"):
            raise SetupError(f"Transport {self.transport!r} is neither 'play' nor 'unary'.")


# --- The limits that the service enforces


@dataclass(frozen=True, slots=True)
class Limits:
    """The service's limits. Times are in seconds, None if unlimited; counts are 0 if not given.

    Attributes:
        environment_step_deadline: How long the environment may take for one step.
        agent_step_budget: The agent's own time for one step.
        agent_episode_budget: The agent's own time, summed over an episode.
        max_action_bytes: UTF-8 bytes of one text or skill call.
    """

    environment_step_deadline: float | None = None
    agent_step_budget: float | None = None
    agent_episode_budget: float | None = None
    max_plan_steps: int = 0
    max_trace_bytes_per_step: int = 0
    max_action_bytes: int = 0
    max_calls_per_second: int = 0

    @classmethod
    def from_proto(cls, message: agent_pb2.Limits) -> Limits:
        """Reads the limits of a HelloResponse."""
        return cls(
            _optional(message, "environment_step_deadline"),
            _optional(message, "agent_step_budget"),
            _optional(message, "agent_episode_budget"),
            max_plan_steps=message.max_plan_steps,
            max_trace_bytes_per_step=message.max_trace_bytes_per_step,
            max_action_bytes=message.max_action_bytes,
            max_calls_per_second=message.max_calls_per_second,
        )


def _optional(
    message: agent_pb2.Limits,
    name: Literal["environment_step_deadline", "agent_step_budget", "agent_episode_budget"],
) -> float | None:
    return seconds(getattr(message, name)) if message.HasField(name) else None
