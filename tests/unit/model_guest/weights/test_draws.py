from __future__ import annotations

import random
from collections import Counter
from importlib import import_module
from typing import Any

import pytest
from model_guest.model import Message, Picture, Role

from tests.support.tiny_models import torch

draws = import_module("model_guest.weights.draws")


def counted(scores: Any, count: int = 4000, **shape: Any) -> Counter[int]:
    generator = random.Random(0)
    whole = draws.Shape(**{"temperature": 1.0, "top_p": 1.0, "top_k": 0, **shape})
    return Counter(draws.draw(scores, whole, generator) for _ in range(count))


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    shares = torch.tensor([0.5, 0.3, 0.15, 0.05])
    found = counted(shares.log())
    for token, share in enumerate(shares.tolist()):
        assert found[token] / 4000 == pytest.approx(share, abs=0.03)


def test_temperature_sharpens() -> None:
    found = counted(torch.tensor([0.5, 0.3, 0.2]).log(), temperature=0.5)
    assert found[0] / 4000 == pytest.approx(0.25 / 0.38, abs=0.03)


def test_top_p_keeps_the_smallest_set_that_reaches_it() -> None:
    scores = torch.tensor([0.1, 0.5, 0.15, 0.25]).log()
    assert set(counted(scores, top_p=0.74)) == {1, 3}
    assert set(counted(scores, top_p=0.76)) == {1, 3, 2}
    assert set(counted(scores, top_p=0.01)) == {1}


def test_top_k() -> None:
    assert set(counted(torch.tensor([0.1, 0.5, 0.15, 0.25]).log(), top_k=2)) == {1, 3}


def test_what_is_forbidden_is_never_drawn() -> None:
    scores = torch.full((1000,), float("-inf"))
    scores[[3, 700]] = torch.tensor([0.0, -8.0])
    assert set(counted(scores)) <= {3, 700}


def test_a_seed_depends_on_the_runs_seed_the_request_and_the_count() -> None:
    def first(seed: int, *parts: str | Picture, times: int = 1) -> bytes:
        seeds = draws.Seeds(seed)
        messages = (Message(Role.USER, parts),)
        found: list[bytes] = [seeds.next(messages) for _ in range(times)]
        return found[-1]

    picture = Picture(b"one", "image/png")
    assert first(1, "a", picture) == first(1, "a", picture)
    others = [
        first(2, "a", picture),
        first(1, "b", picture),
        first(1, "a", Picture(b"two", "image/png")),
        first(1, "a", picture, times=2),
    ]
    assert len({*others, first(1, "a", picture)}) == 5
