"""From messages to text with a chat template, and from text to a model's inputs and outputs."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import PIL.Image

from ..model import ContextOverflowError, Message, Part, Picture, RefusedError, Role
from .loading import Weights
from .optional_imports import Tensor, torch, transformers

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


# --- From prompts to the inputs of a model's forward pass, and its first outputs


@dataclass(frozen=True, slots=True)
class Encoded:
    """Prompts as tensors on the model's device, padded on the left.

    ``inputs`` has at least ``input_ids`` int64 [B, L] and ``attention_mask`` int64 [B, L], 1
    where a row has a token; it also holds pictures and other inputs of the model.
    """

    inputs: dict[str, Any]

    @property
    def ids(self) -> Tensor:
        """int64 [B, L]."""
        return self.inputs["input_ids"]

    @property
    def mask(self) -> Tensor:
        """int64 [B, L]."""
        return self.inputs["attention_mask"]

    def texts_of(self, rows: Tensor) -> Encoded:
        """Ids and masks of some rows, int64 [n], without their pictures."""
        return Encoded({"input_ids": self.ids[rows], "attention_mask": self.mask[rows]})

    @property
    def lengths(self) -> list[int]:
        """The number of tokens in each row, without padding."""
        return [int(length) for length in self.mask.sum(-1)]


def encode(weights: Weights, prompts: Sequence[Prompt]) -> Encoded:
    """The prompts as one batch. Either all contain pictures, or none does.

    Raises RefusedError if the model's processor rejects a picture.
    """
    texts = [prompt.text for prompt in prompts]
    options = {"padding": True, "return_tensors": "pt", "add_special_tokens": False}
    if weights.processor is None:
        # Chat templates write the token that begins a sequence; the plain one does not.
        options["add_special_tokens"] = weights.tokenizer.chat_template is None
        inputs = weights.tokenizer(texts, return_token_type_ids=False, **options)
    else:
        inputs = _with_processor(weights, prompts, texts, options)
    return Encoded({name: _placed(value, weights) for name, value in inputs.items()})


def check_length(weights: Weights, tokens: int, room: int) -> None:
    """Raises ContextOverflowError unless ``room`` more tokens fit after ``tokens``."""
    positions = weights.positions
    if positions is not None and tokens + room > positions:
        raise ContextOverflowError(
            f"A prompt of {tokens} tokens and a reply of up to {room} are more than the"
            f" {positions} that the model reads. A lower --reply-tokens leaves more room."
        )


def _placed(value: Any, weights: Weights) -> Any:
    if not torch.is_tensor(value):
        return value
    return value.to(weights.device, weights.model.dtype if value.is_floating_point() else None)


def _with_processor(
    weights: Weights, prompts: Sequence[Prompt], texts: list[str], options: dict[str, Any]
) -> Any:
    processor: Any = weights.processor
    begin = weights.tokenizer.bos_token
    options["add_special_tokens"] = bool(begin) and not texts[0].startswith(begin)
    pictures = [list(prompt.pictures) for prompt in prompts]
    if not any(pictures):
        return processor(text=texts, padding_side="left", **options)
    try:
        return processor(text=texts, images=pictures, padding_side="left", **options)
    except (ValueError, TypeError, IndexError) as error:
        raise RefusedError(
            f"The model's processor rejects {len(pictures[0])} pictures in this order: {error}"
        ) from error


# --- The prefill: the model's output before the first token of a reply


@dataclass(frozen=True, slots=True)
class Prefill:
    """A batch of prompts after the forward pass.

    Attributes:
        cache: The model's keys and values; None if the model has no cache.
        first: float32 [B, V], the log-probabilities of a reply's first token.
        positions: int64 [B], the position of that token.
    """

    encoded: Encoded
    cache: Any
    first: Tensor
    positions: Tensor


def prefill(weights: Weights, encoded: Encoded) -> Prefill:
    """Runs the prompts by generating one token, which is discarded: ``generate`` prepares what
    each architecture needs, above all for pictures."""
    model = weights.model
    with torch.inference_mode():
        output = model.generate(
            **encoded.inputs,
            generation_config=transformers.GenerationConfig(
                max_new_tokens=1,
                do_sample=False,
                use_cache=True,
                return_dict_in_generate=True,
                output_logits=True,
                eos_token_id=list(weights.ends),
                pad_token_id=weights.pad,
            ),
        )
        positions = encoded.mask.sum(-1)
        # Models that place pictures in two dimensions count positions from another start.
        deltas = getattr(getattr(model, "model", model), "rope_deltas", None)
        if deltas is not None:
            positions = positions + deltas.view(-1).to(positions.device)
        first = torch.log_softmax(output.logits[0].float(), dim=-1)
    return Prefill(encoded, output.past_key_values, first, positions)
