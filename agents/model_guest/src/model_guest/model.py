"""A model as an agent sees it, behind an HTTP endpoint or in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from houseguest_agent import ModelUsage, Prompt, PromptMessage, PromptPicture
from houseguest_model_client.completion import CallUsage, Finish
from houseguest_model_client.errors import (
    ContextOverflowError,
    ModelError,
    RefusedError,
    UnreachableError,
)
from houseguest_model_client.messages import Message, Part, Picture, Role

__all__ = [
    "CallUsage",
    "ContextOverflowError",
    "Finish",
    "Message",
    "Model",
    "ModelError",
    "Part",
    "Picture",
    "RefusedError",
    "Reply",
    "Request",
    "Role",
    "UnreachableError",
    "sdk_prompt",
    "sdk_usage",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    Attributes:
        messages: The conversation. It begins with what never changes, so that a server can reuse
            it.
        schema: A JSON Schema for the reply, for models that can be constrained to one; None for a
            free reply.
        candidates: All legal replies, for models that choose by likelihood; empty if they cannot
            be listed.
        deadline: The time, on the clock of ``time.monotonic``, after which a reply is useless. A
            model that would wait longer for its server raises UnreachableError instead. None for
            no deadline.
        draw: Names the episode and the turn, for a model that draws its replies from a seed. It
            differs in each repeat of a run, and is the same when the run is played again.
        slow: Advice for the user, quoted if a server works but is too slow for the deadline.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    candidates: tuple[str, ...] = ()
    deadline: float | None = None
    draw: str = ""
    slow: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply.

    Attributes:
        reasoning: The model's thinking, if it is reported separately.
        usage: One entry for each paid call, including failed ones.
        scores: Log-probabilities of the request's candidates, in their order, from a model that
            chose among them; empty otherwise.
        parameters: The request without its messages, by name; each value is JSON. Holds no secret.
    """

    text: str
    reasoning: str = ""
    finish: Finish = Finish.STOP
    usage: tuple[CallUsage, ...] = ()
    scores: tuple[float, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)


class Model(Protocol):
    """A model. ``reply`` may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The name that results show."""

    @property
    def sees_pictures(self) -> bool:
        """Whether messages may hold pictures."""

    def configuration(self) -> Mapping[str, str]:
        """Everything about the model that could change its replies, by name; stored with the
        run."""

    def reply(self, request: Request) -> Reply:
        """Asks the model. Raises ModelError."""

    def close(self) -> None:
        """Releases the model. Idempotent."""


def sdk_usage(calls: Iterable[CallUsage]) -> tuple[ModelUsage, ...]:
    """The calls in the form in which the SDK reports them to the service."""
    return tuple(ModelUsage(**asdict(call)) for call in calls)


def sdk_prompt(messages: Iterable[Message], parameters: Mapping[str, str]) -> Prompt:
    """A request in the form in which the SDK reports it to the service."""
    return Prompt(
        tuple(PromptMessage(each.role, tuple(map(_part, each.parts))) for each in messages),
        parameters,
    )


def _part(part: Part) -> str | PromptPicture:
    if isinstance(part, str):
        return part
    return PromptPicture(part.origin or sha256(part.data).hexdigest(), part.media_type)
