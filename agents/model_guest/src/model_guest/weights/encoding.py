"""From prompts to what a model's forward pass takes, several at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from model_guest.model import ContextOverflowError, RefusedError

from .border import Tensor, torch
from .dialogue import Prompt
from .loading import Weights


@dataclass(frozen=True, slots=True)
class Encoded:
    """Prompts as tensors on the model's device, padded on the left.

    ``inputs`` has at least ``input_ids`` int64 [B, L] and ``attention_mask`` int64 [B, L], 1
    where a row has a token; pictures and whatever else the model takes stand beside.
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
        """Tokens in each row, padding left out."""
        return [int(length) for length in self.mask.sum(-1)]


def encode(weights: Weights, prompts: Sequence[Prompt]) -> Encoded:
    """The prompts as one batch. All hold pictures, or none does.

    Raises RefusedError where the model's processor does not take a picture.
    """
    texts = [prompt.text for prompt in prompts]
    options = {"padding": True, "return_tensors": "pt", "add_special_tokens": False}
    if weights.processor is None:
        # Templates write the token that begins a sequence; the plain one leaves it out.
        options["add_special_tokens"] = weights.tokenizer.chat_template is None
        inputs = weights.tokenizer(texts, return_token_type_ids=False, **options)
    else:
        inputs = _with_processor(weights, prompts, texts, options)
    return Encoded({name: _placed(value, weights) for name, value in inputs.items()})


def check_length(weights: Weights, tokens: int, room: int) -> None:
    """Raises ContextOverflowError unless ``room`` more tokens fit behind so many."""
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
            f"The model's processor does not take {len(pictures[0])} pictures in this order:"
            f" {error}"
        ) from error
