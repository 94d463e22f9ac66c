"""From prompts to the inputs of a model's forward pass, and its first outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..model import ContextOverflowError, RefusedError
from .chat_template import Prompt
from .loading import Weights
from .optional_imports import Tensor, torch, transformers


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
