"""A model as an agent sees it, be it behind an HTTP endpoint or in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from houseguest_agent import ModelUsage
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
    "sdk_usage",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    ``messages`` begin with what never changes, so that a server can reuse it. ``schema`` is a
    JSON Schema that the reply has to satisfy, for models that can be held to one; None where
    the reply is free. ``candidates`` are all legal replies where they can be listed, for
    models that choose by likelihood; empty otherwise. ``deadline`` is the moment, on the clock
    of ``time.monotonic``, after which a reply is of no use: a model that would wait longer for
    its server raises UnreachableError instead. None: there is none. ``draw`` names the episode
    and the turn for a model that draws its replies from a seed: it is another one in each repeat
    of a run, and the same when the run is played anew. ``slow`` is advice for the user, quoted
    where a server works but is slower than the deadline allows.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    candidates: tuple[str, ...] = ()
    deadline: float | None = None
    draw: str = ""
    slow: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. ``reasoning`` is what it thought aloud, where that is told apart.

    ``usage`` has one entry for each call that was paid for, those in vain included.
    ``scores`` are log-probabilities of the request's candidates, in their order, from a model
    that chose among them; empty otherwise.
    """

    text: str
    reasoning: str = ""
    finish: Finish = Finish.STOP
    usage: tuple[CallUsage, ...] = ()
    scores: tuple[float, ...] = ()


class Model(Protocol):
    """A model. ``reply`` may be called from several threads at once."""

    @property
    def name(self) -> str:
        """As results show it."""

    @property
    def sees_pictures(self) -> bool:
        """Whether messages may hold pictures."""

    def configuration(self) -> Mapping[str, str]:
        """All about the model that could change its replies, by name; stored with the run."""

    def reply(self, request: Request) -> Reply:
        """Asks the model. Raises ModelError."""

    def close(self) -> None:
        """Lets the model go. May be called twice."""


def sdk_usage(calls: Iterable[CallUsage]) -> tuple[ModelUsage, ...]:
    """The calls as the SDK tells the service of them."""
    return tuple(ModelUsage(**asdict(call)) for call in calls)
