"""Servers that nobody would write on purpose: what the endpoint makes of them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig, Waiting
from houseguest_model_client.transport import ClientError
from model_guest.endpoint.model import EndpointModel
from model_guest.model import (
    Message,
    RefusedError,
    Reply,
    Request,
    Role,
    UnreachableError,
)

from tests.support.model_server import (
    MODEL,
    Behaviour,
    ModelServer,
    completion,
    drips,
    fails,
    says,
    sends,
)

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says("at last")) as running:
        yield running


def ask(url: str, patience: float = 20.0, timeout: float = 60.0, **changes: Any) -> Reply:
    waiting = Waiting(timeout, patience, first=0.01, longest=0.05, rng=random.Random(0))
    config = EndpointConfig(read_address(url), MODEL, KEY, waiting=waiting, **changes)
    model = EndpointModel(config, lambda _: None)
    try:
        return model.reply(Request((Message(Role.USER, ("hello",)),)))
    finally:
        model.close()


def test_a_reply_that_drips_does_not_outlast_its_time(server: ModelServer) -> None:
    server.default = drips(0.05)
    started = time.monotonic()
    with pytest.raises(UnreachableError, match="no answer within 0"):
        ask(server.url, patience=0.5, timeout=0.3)
    # The whole reply would take 15 s.
    assert time.monotonic() - started < 10


def test_a_reply_that_drips_fast_enough_is_read(server: ModelServer) -> None:
    server.default = drips(0.0005)
    assert ask(server.url).text == "a drop at a time"


def test_a_reply_without_end_is_not_read_to_its_end(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("houseguest_model_client.transport.MOST_BYTES", 1 << 20)
    server.default = sends(b" " * (2 << 20))
    with pytest.raises(UnreachableError, match="longer than 1 MiB"):
        ask(server.url, patience=0.2)


ERRORS_WITHIN: dict[str, Behaviour] = {
    "beside half a reply": fails(200, completion("I would", finish="error")),
    "in the choice": fails(
        200, {"choices": [{"message": {"content": ""}, "error": {"code": 502, "message": "up"}}]}
    ),
    "no choice": fails(200, {"choices": []}),
}


@pytest.mark.parametrize("name", ERRORS_WITHIN)
def test_what_a_router_says_in_a_models_place_is_no_reply(name: str, server: ModelServer) -> None:
    server.queue += [ERRORS_WITHIN[name]] * 2
    assert ask(server.url).text == "at last"
    server.default = ERRORS_WITHIN[name]
    with pytest.raises(UnreachableError):
        ask(server.url, patience=0.2)


def test_a_redirect_is_not_followed_with_the_key(server: ModelServer) -> None:
    server.default = fails(307, "elsewhere", location="http://127.0.0.1:9/v1")
    with pytest.raises(RefusedError, match=r"--base-url.*127\.0\.0\.1:9"):
        ask(server.url)


def test_tls_with_a_server_that_speaks_none_is_not_waited_for(server: ModelServer) -> None:
    with pytest.raises(RefusedError, match="starts with http:"):
        ask(server.url.replace("http:", "https:"))


def test_proxies_are_for_other_machines(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(server.url).text == "at last"


def test_a_client_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    with pytest.raises(ClientError, match="SSL_CERT_FILE"):
        ask("https://127.0.0.1:9/v1")


def test_no_wait_asked_for_is_no_leave_to_hammer(server: ModelServer) -> None:
    server.default = fails(429, "slow down", retry_after="0")
    with pytest.raises(UnreachableError):
        ask(server.url, patience=0.5)
    assert len(server.asked) < 60


def test_a_wait_beyond_the_patience_is_told(server: ModelServer) -> None:
    server.default = fails(429, "tomorrow", retry_after="3600")
    with pytest.raises(UnreachableError, match=r"asks to wait 3600 s.*--patience"):
        ask(server.url)


def test_a_bound_that_is_always_refused_ends(server: ModelServer) -> None:
    server.default = fails(400, "'max_tokens' or 'max_completion_tokens' is invalid")
    with pytest.raises(RefusedError, match="max_completion_tokens"):
        ask(server.url)
    assert len(server.asked) == 2


def test_secrets_of_the_url_are_not_told(server: ModelServer) -> None:
    server.default = fails(400, "what is sig=open-sesame?")
    with pytest.raises(RefusedError, match="sig=…"):
        ask(f"{server.url}?sig=open-sesame&api-version=2024")
