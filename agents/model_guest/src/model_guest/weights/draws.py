"""Draws tokens so that a request's draws depend on nothing but itself and the seed.

``generate`` draws for a whole batch from one stream of numbers, so that a request's neighbours
would change its reply. Here each request has a generator of its own, one number a token
decides by inversion of the cumulative distribution, and the batch merely takes the likeliest
token of what is left: the one that was drawn.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from dataclasses import dataclass
from threading import Lock

from model_guest.model import Message, Picture

from .border import Tensor, torch


@dataclass(frozen=True, slots=True)
class Shape:
    """What a draw is made from, as WeightsOptions has it. Temperature 0 draws nothing."""

    temperature: float
    top_p: float
    top_k: int


class Seeds:
    """Gives each request a seed of its own.

    It depends on the run's seed, the request, and how often this process has met the request:
    a repeat of a task is a new draw. Safe to use from several threads.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._met: Counter[bytes] = Counter()
        self._lock = Lock()

    def next(self, messages: tuple[Message, ...]) -> bytes:
        """The seed for the next time that these messages are asked."""
        digest = hashlib.sha256(str(self._seed).encode())
        for message in messages:
            digest.update(b"\0" + message.role.value.encode())
            for part in message.parts:
                data = part.data if isinstance(part, Picture) else part.encode()
                digest.update(b"\0" + hashlib.sha256(data).digest())
        key = digest.digest()
        with self._lock:
            count = self._met[key]
            self._met[key] += 1
        return key + str(count).encode()


def draw(scores: Tensor, shape: Shape, generator: random.Random) -> int:
    """A token of one row. ``scores`` float32 [V], -inf where a token is forbidden."""
    if shape.temperature == 0:
        return int(scores.argmax())
    kept = min(shape.top_k or scores.shape[-1], scores.shape[-1])
    ranked, tokens = torch.topk(scores / shape.temperature, kept)
    shares = torch.softmax(ranked.double(), dim=-1).cumsum(-1)
    # The smallest set that reaches top_p: up to the first token at which the sum does.
    inside = int((shares < shape.top_p).sum()) + 1
    total = float(shares[min(inside, kept) - 1])
    index = int((shares < generator.random() * total).sum())
    return int(tokens[min(index, kept - 1)])
