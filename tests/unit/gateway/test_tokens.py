"""Lease tokens say what they were issued for, and nothing else passes."""

from __future__ import annotations

import pytest

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.tokens import Lease, LeaseTokens

LEASE = Lease("run-1", 3, 0)


def test_a_token_says_which_seat_of_which_run() -> None:
    tokens = LeaseTokens(b"secret")
    assert tokens.check(tokens.issue(LEASE, expires=10.0), now=9.0) == LEASE


def test_an_expired_token_is_refused() -> None:
    tokens = LeaseTokens(b"secret")
    token = tokens.issue(LEASE, expires=10.0)
    with pytest.raises(ProtocolError) as caught:
        tokens.check(token, now=11.0)
    assert caught.value.reason is Reason.TOKEN_EXPIRED


@pytest.mark.parametrize("position", [0, 5, -2, -10])
def test_one_changed_character_is_refused(position: int) -> None:
    tokens = LeaseTokens(b"secret")
    token = list(tokens.issue(LEASE, expires=10.0))
    token[position] = "A" if token[position] != "A" else "B"
    with pytest.raises(ProtocolError) as caught:
        tokens.check("".join(token), now=1.0)
    assert caught.value.reason is Reason.TOKEN_INVALID


@pytest.mark.parametrize("token", ["", ".", "nonsense", "a.b.c", "ä.ö", "AAAA." + "A" * 10_000])
def test_garbage_is_refused(token: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        LeaseTokens().check(token, now=1.0)
    assert caught.value.reason is Reason.TOKEN_INVALID


def test_another_houses_token_is_refused() -> None:
    token = LeaseTokens(b"theirs").issue(LEASE, expires=10.0)
    with pytest.raises(ProtocolError):
        LeaseTokens(b"ours").check(token, now=1.0)
