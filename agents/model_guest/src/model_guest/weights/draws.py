"""Draws tokens so that a request's draws depend on nothing but itself and the seed.

``generate`` draws for a whole batch from one stream of numbers, so that a request's neighbours
would change its reply. Here each request has a generator of its own, one number a token
decides by inversion of the cumulative distribution, and the batch merely takes the likeliest
token of what is left: the one that was drawn.
"""

from __future__ import annotations

import hashlib
import math
import random
from dataclasses import dataclass

from model_guest.model import Picture, Request

from .border import Tensor, torch


@dataclass(frozen=True, slots=True)
class Shape:
    """What a draw is made from, as WeightsOptions has it. Temperature 0 draws nothing."""

    temperature: float
    top_p: float
    top_k: int


def seed_of(seed: int, request: Request) -> bytes:
    """A seed for one request, of the run's ``seed``, the episode and the turn that the request
    names, and what it says: the same in whatever session and order it is asked."""
    digest = hashlib.sha256(f"{seed}\0{request.draw}".encode())
    for message in request.messages:
        digest.update(b"\0" + message.role.value.encode())
        for part in message.parts:
            data = part.data if isinstance(part, Picture) else part.encode()
            digest.update(b"\0" + hashlib.sha256(data).digest())
    return digest.digest()


def draw(scores: Tensor, shape: Shape, generator: random.Random) -> int:
    """A token of one row. ``scores`` float32 [V], -inf where a token is forbidden.

    Tokens stand in the order of their ids: by likelihood, rounding would swap neighbours that
    are about as likely, and with them what a number draws.
    """
    if shape.temperature == 0:
        return int(scores.argmax())
    shares = _kept(torch.softmax((scores / shape.temperature).double(), dim=-1), shape).cumsum(-1)
    total = float(shares[-1])
    number = min(generator.random() * total, math.nextafter(total, 0.0))
    return int((shares <= number).sum())


def _kept(shares: Tensor, shape: Shape) -> Tensor:
    """The shares with 0 for what top_k and top_p leave out. What they keep is the smallest set
    that reaches top_p: up to the first token at which the sum does."""
    if shape.top_k == 0 and shape.top_p == 1:
        return shares
    ranked, tokens = torch.topk(shares, min(shape.top_k or len(shares), len(shares)))
    ahead = ranked.cumsum(-1) - ranked
    ranked = ranked.masked_fill(ahead >= shape.top_p * ranked.sum(), 0.0)
    return torch.zeros_like(shares).scatter_(0, tokens, ranked)
