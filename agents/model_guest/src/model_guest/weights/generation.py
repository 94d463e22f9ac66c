"""Generates replies token by token, for several requests at once."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..model import Picture, Request
from .encoding import Encoded
from .grammar import Matcher, forbid
from .loading import Weights
from .optional_imports import Tensor, torch, transformers


@dataclass(frozen=True, slots=True)
class Row:
    """How to answer one request of a batch. ``matcher`` None leaves the reply free."""

    generator: random.Random
    matcher: Matcher | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for all replies. ``stops`` are texts that end a reply and are not part of it."""

    max_tokens: int
    shape: Shape
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generated:
    """A reply's text, without special tokens. ``thought`` of its ``tokens`` precede a closing
    think tag. ``cut``: the token limit ended it."""

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
    """Chooses each row's next token and masks all others: a LogitsProcessor."""

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
    """Ends a row once its reply contains one of some texts: a StoppingCriteria."""

    def __init__(self, weights: Weights, width: int, stops: tuple[str, ...]) -> None:
        self._tokenizer, self._width, self._stops = weights.tokenizer, width, stops
        # A token has at least one byte, so this many tokens hold a stop text and its surroundings.
        self._tail = max(len(stop.encode()) for stop in stops) + 1

    def __call__(self, input_ids: Tensor, _scores: Any, **_: Any) -> Tensor:
        """bool [B]: which rows are finished. ``input_ids`` int64 [B, L]."""
        start = max(self._width, input_ids.shape[1] - self._tail)
        texts = self._tokenizer.batch_decode(input_ids[:, start:])
        over = [any(stop in text for stop in self._stops) for text in texts]
        return torch.tensor(over, device=input_ids.device)


# --- Draws tokens so that a request's draws depend only on the request and the seed


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a draw, as in WeightsOptions. Temperature 0 draws nothing."""

    temperature: float
    top_p: float
    top_k: int


def seed_of(seed: int, request: Request) -> bytes:
    """A seed for one request, made from the run's ``seed``, the request's ``draw`` (its episode
    and turn), and its contents. The session and the order of requests do not matter."""
    digest = hashlib.sha256(f"{seed}\0{request.draw}".encode())
    for message in request.messages:
        digest.update(b"\0" + message.role.value.encode())
        for part in message.parts:
            data = part.data if isinstance(part, Picture) else part.encode()
            digest.update(b"\0" + hashlib.sha256(data).digest())
    return digest.digest()


def draw(scores: Tensor, shape: Shape, generator: random.Random) -> int:
    """Draws a token for one row. ``scores`` float32 [V], -inf where a token is forbidden.

    Tokens are in the order of their ids. In the order of likelihood, rounding would swap
    neighbours that are about as likely, and change what a number draws.
    """
    if shape.temperature == 0:
        return int(scores.argmax())
    shares = _kept(torch.softmax((scores / shape.temperature).double(), dim=-1), shape).cumsum(-1)
    total = float(shares[-1])
    number = min(generator.random() * total, math.nextafter(total, 0.0))
    return int((shares <= number).sum())


def _kept(shares: Tensor, shape: Shape) -> Tensor:
    """The shares, with 0 for what top_k and top_p exclude. The rest is the smallest set that
    reaches top_p: up to the first token at which the sum does."""
    if shape.top_k == 0 and shape.top_p == 1:
        return shares
    ranked, tokens = torch.topk(shares, min(shape.top_k or len(shares), len(shares)))
    ahead = ranked.cumsum(-1) - ranked
    ranked = ranked.masked_fill(ahead >= shape.top_p * ranked.sum(), 0.0)
    return torch.zeros_like(shares).scatter_(0, tokens, ranked)
