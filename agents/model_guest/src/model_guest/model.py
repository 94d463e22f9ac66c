"""A model as a guest sees it, be it behind an HTTP endpoint or in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from houseguest_agent import ModelUsage


class Role(Enum):
    """Who says a message. Values are those of the OpenAI chat format."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a file in memory: ``data`` is a PNG, WebP or JPEG, as ``media_type`` says."""

    data: bytes
    media_type: str


Part = str | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Parts keep their order; an assistant's are texts."""

    role: Role
    parts: tuple[Part, ...]


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


class Finish(Enum):
    """Why a reply ends."""

    STOP = "stop"
    """The model was done."""
    LENGTH = "length"
    """The limit of tokens cut it."""
    REFUSED = "refused"
    """The model, or a filter before it, declined to answer."""


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
    usage: tuple[ModelUsage, ...] = ()
    scores: tuple[float, ...] = ()


class ModelError(Exception):
    """A model gave no reply. ``usage`` lists the calls that were paid for all the same.

    The message says what was wrong, where, and how to mend it.
    """

    def __init__(self, message: str, usage: tuple[ModelUsage, ...] = ()) -> None:
        super().__init__(message)
        self.usage = usage


class UnreachableError(ModelError):
    """The model did not answer, for as long as the guest was willing to wait."""


class RefusedError(ModelError):
    """The model cannot be asked like this, now or later: a wrong key, an unknown model, no
    eyes for pictures."""


class ContextOverflowError(ModelError):
    """The request is longer than the model can read: a shorter one may do."""


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
