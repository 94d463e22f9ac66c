"""From messages to the text that a model reads, with the model's chat template or a plain one."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import PIL.Image

from ..model import Message, Part, Picture, RefusedError, Role
from .loading import Weights

PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ message.role | capitalize }}: {{ message.content }}\n\n"
    "{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)
"""For tokenizers without a chat template, as base models have."""

PLAIN_STOPS = ("\nUser:", "\nSystem:", "\nAssistant:")
"""Where a model with the plain template continues beyond its reply."""

_PROBE = "houseguest-system-probe"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text that a model reads.

    Attributes:
        text: The text, with a placeholder for each picture.
        pictures: The pictures, in order.
        opening: The part of the template that the reply begins with, if the template itself opens
            the model's thinking; empty otherwise.
    """

    text: str
    pictures: tuple[Any, ...] = ()
    opening: str = ""


class Dialogue:
    """Renders messages for one model. Safe to use from several threads.

    ``template`` is "own" or "plain"; ``system`` is "own", or "folded" if the template has no place
    for a system message, which then begins the user's first message.
    """

    def __init__(self, weights: Weights, variables: Mapping[str, Any]) -> None:
        self._sees = weights.processor is not None
        self._teller: Any = weights.processor if self._sees else weights.tokenizer
        self._variables = dict(variables)
        own = getattr(self._teller, "chat_template", None)
        if not own and self._sees:
            own = weights.tokenizer.chat_template
        if not own and self._sees:
            raise RefusedError(
                f"{weights.folder} has no chat template, so the place of pictures is unknown."
                " Put its chat_template.jinja into the folder."
            )
        self.template = "own" if own else "plain"
        self._source = own or PLAIN_TEMPLATE
        self.system = "own" if self._takes_system() else "folded"

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts that end a reply."""
        return PLAIN_STOPS if self.template == "plain" else ()

    def render(self, messages: Sequence[Message]) -> Prompt:
        """The prompt, ready for the model's reply.

        Raises RefusedError for pictures that the model cannot see or that are broken, and for
        messages that its template rejects.
        """
        pictures = tuple(
            _opened(part)
            for message in messages
            for part in message.parts
            if isinstance(part, Picture)
        )
        if pictures and not self._sees:
            raise RefusedError(
                "This model reads only text, but the messages contain pictures. Choose a"
                " vision-language model, or a condition of the suite that describes what is seen."
            )
        merged = _merged(messages if self.system == "own" else _fold_system(messages))
        try:
            text = self._apply(merged)
        except Exception as error:  # a template is a program and may raise anything
            raise RefusedError(f"The model's chat template fails: {error}") from error
        return Prompt(text, pictures, _thinking(text))

    def _apply(self, messages: Sequence[Message]) -> str:
        said = [
            {"role": message.role.value, "content": self._content(message)} for message in messages
        ]
        text: str = self._teller.apply_chat_template(
            said,
            chat_template=self._source,
            tokenize=False,
            add_generation_prompt=True,
            **self._variables,
        )
        return text

    def _content(self, message: Message) -> Any:
        if not self._sees:
            return "\n\n".join(part for part in message.parts if isinstance(part, str))
        return [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"}
            for part in message.parts
        ]

    def _takes_system(self) -> bool:
        messages = (Message(Role.SYSTEM, (_PROBE,)), Message(Role.USER, ("hello",)))
        try:
            return _PROBE in self._apply(messages)
        except Exception:  # noqa: BLE001 - templates refuse by raising whatever they like
            return False


def _merged(messages: Sequence[Message]) -> list[Message]:
    """Joins neighbouring messages of one role: many templates require alternating roles."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role is message.role:
            before = merged.pop().parts
            merged.append(Message(message.role, (*before, *message.parts)))
        else:
            merged.append(message)
    return [Message(message.role, _texts_joined(message.parts)) for message in merged]


def _fold_system(messages: Sequence[Message]) -> list[Message]:
    return [
        Message(Role.USER, message.parts) if message.role is Role.SYSTEM else message
        for message in messages
    ]


def _texts_joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Joins neighbouring texts with an empty line between them."""
    joined: list[Part] = []
    for part in parts:
        if joined and isinstance(part, str) and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}\n\n{part}"
        else:
            joined.append(part)
    return tuple(joined)


def _opened(picture: Picture) -> Any:
    try:
        return PIL.Image.open(io.BytesIO(picture.data)).convert("RGB")
    except (OSError, ValueError) as error:
        raise RefusedError(f"A picture ({picture.media_type}) is broken: {error}") from error


def _thinking(text: str) -> str:
    """The thinking tag that a template opens before the reply, so that the reply is complete."""
    return "<think>\n" if text.rstrip().endswith("<think>") else ""
