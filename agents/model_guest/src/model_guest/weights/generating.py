"""Replies token by token, several requests at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .border import Tensor, torch, transformers
from .draws import Shape, draw
from .encoding import Encoded
from .grammar import Matcher, forbid
from .loading import Weights


@dataclass(frozen=True, slots=True)
class Row:
    """How one request of a batch is answered. ``matcher`` None: freely."""

    generator: random.Random
    matcher: Matcher | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for all replies. ``stops`` are texts that end one, left out of it."""

    max_tokens: int
    shape: Shape
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generated:
    """A reply's text, special tokens left out. Of its ``tokens`` so many are ``thought``: what
    stands before a closing think tag. ``cut``: the limit of tokens ended it."""

    text: str
    tokens: int
    thought: int
    cut: bool


def generate(
    weights: Weights, encoded: Encoded, rows: Sequence[Row], rules: Rules
) -> list[Generated]:
    """One reply for each row of the batch."""
    width = encoded.ids.shape[1]
    stops = [_TextStop(weights, width, rules.stops)] if rules.stops else []
    with torch.inference_mode():
        sequences = weights.model.generate(
            **encoded.inputs,
            generation_config=transformers.GenerationConfig(
                max_new_tokens=rules.max_tokens,
                do_sample=False,
                eos_token_id=list(weights.ends),
                pad_token_id=weights.pad,
            ),
            logits_processor=[_Choice(rows, rules.shape, width)],
            stopping_criteria=stops,
        )
    return [_finished(weights, row[width:].tolist(), rules) for row in sequences]


def _finished(weights: Weights, tokens: list[int], rules: Rules) -> Generated:
    ends = [index for index, token in enumerate(tokens) if token in weights.ends]
    length = ends[0] if ends else len(tokens)
    text = weights.tokenizer.decode(tokens[:length], skip_special_tokens=True)
    found = [at for at in map(text.find, rules.stops) if at >= 0]
    cut = not ends and not found and length >= rules.max_tokens
    thought, closed, _ = text.partition("</think>")
    thinking = len(weights.tokenizer(thought + closed)["input_ids"]) if closed else 0
    text = text[: min(found)] if found else text
    return Generated(text, length + bool(ends), min(thinking, length), cut)


class _Choice:
    """Chooses each row's next token, and leaves no other: a LogitsProcessor."""

    def __init__(self, rows: Sequence[Row], shape: Shape, width: int) -> None:
        self._rows, self._shape, self._width = rows, shape, width

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """``input_ids`` int64 [B, L], ``scores`` float32 [B, V]."""
        if input_ids.shape[1] > self._width:
            for row, token in zip(self._rows, input_ids[:, -1].tolist(), strict=True):
                if row.matcher is not None:
                    row.matcher.take(token)
        forbid(scores, [row.matcher for row in self._rows])
        if self._shape.temperature == 0:
            return scores
        chosen = [
            draw(row_scores, self._shape, row.generator)
            for row_scores, row in zip(scores, self._rows, strict=True)
        ]
        index = torch.tensor(chosen, device=scores.device)[:, None]
        return torch.full_like(scores, float("-inf")).scatter_(1, index, 0.0)


class _TextStop:
    """Ends a row once its reply holds one of some texts: a StoppingCriteria."""

    def __init__(self, weights: Weights, width: int, stops: tuple[str, ...]) -> None:
        self._tokenizer, self._width, self._stops = weights.tokenizer, width, stops
        # A token is at least a byte, so a stop and what surrounds it fit into so many.
        self._tail = max(len(stop.encode()) for stop in stops) + 1

    def __call__(self, input_ids: Tensor, _scores: Any, **_: Any) -> Tensor:
        """bool [B]: which rows are over. ``input_ids`` int64 [B, L]."""
        start = max(self._width, input_ids.shape[1] - self._tail)
        texts = self._tokenizer.batch_decode(input_ids[:, start:])
        over = [any(stop in text for stop in self._stops) for text in texts]
        return torch.tensor(over, device=input_ids.device)
