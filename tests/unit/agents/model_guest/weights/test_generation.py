from __future__ import annotations

import random
from collections import Counter
from importlib import import_module
from typing import Any

import pytest
from model_guest.model import Message, Picture, Request, Role

from tests.support.tiny_models import torch

draws = import_module("model_guest.weights.generation")


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


def test_rounding_does_not_change_a_draw() -> None:
    noise = torch.randn(200, generator=torch.Generator().manual_seed(0)) * 1e-6
    alike = torch.zeros(200)
    assert counted(alike, 500) == counted(alike + noise, 500)


def test_a_seed_depends_on_the_runs_seed_the_episode_the_turn_and_the_request() -> None:
    def seed(run: int, draw: str, *parts: str | Picture) -> bytes:
        request = Request((Message(Role.USER, parts),), draw=draw)
        found: bytes = draws.seed_of(run, request)
        return found

    picture = Picture(b"one", "image/png")
    same = {seed(1, "7:0", "a", picture) for _ in range(2)}
    others = {
        seed(2, "7:0", "a", picture),
        seed(1, "8:0", "a", picture),
        seed(1, "7:1", "a", picture),
        seed(1, "7:0", "b", picture),
        seed(1, "7:0", "a", Picture(b"two", "image/png")),
    }
    assert len(same) == 1
    assert len(same | others) == 6
