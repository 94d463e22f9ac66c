"""The service's own client of model servers, against servers that misbehave."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from houseguest_model_client.address import AddressError, read_address
from houseguest_model_client.config import (
    EndpointConfig,
    KeyVariableError,
    Waiting,
    find_base_url,
    find_key,
)

from env_service.chat.client import ChatModel, Message, Picture, RefusedError, UnreachableError
from tests.support.model_server import (
    MODEL,
    ModelServer,
    drips,
    fails,
    half,
    hang_up,
    says,
    sends,
    slow,
)

KEY = "sk-very-secret"
HELLO = [Message.system("Be brief."), Message.user("안녕?")]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that says hello."""
    with ModelServer(says("hello")) as server:
        yield server


class Asked:
    """A model, and what it told people."""

    def __init__(self, server: ModelServer, **changes: Any) -> None:
        waiting = Waiting(
            timeout=changes.pop("timeout", 20.0),
            patience=changes.pop("patience", 20.0),
            first=0.01,
            longest=0.02,
            rng=random.Random(1),
        )
        config = EndpointConfig(read_address(server.url), MODEL, waiting=waiting)
        self.told: list[str] = []
        self.model = ChatModel(replace(config, **changes), self.told.append)

    def ask(self) -> str:
        """One question."""
        return self.model.ask(HELLO)


def test_only_what_was_given_is_sent(server: ModelServer) -> None:
    assert Asked(server, reply_tokens=None).ask() == "hello"
    assert server.asked[0].body == {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "안녕?"},
        ],
        "stream": False,
    }
    assert "authorization" not in server.asked[0].headers


def test_pictures_stand_behind_the_text(server: ModelServer) -> None:
    shown = Picture(b"\x89PNG 1"), Picture(b"\xff\xd8 2", "image/jpeg")
    Asked(server).model.ask([Message.user("What is this?", *shown)])
    assert server.asked[0].pictures == [each.data for each in shown]
    (message,) = server.asked[0].body["messages"]
    assert message["content"][0] == {"type": "text", "text": "What is this?"}
    assert message["content"][2]["image_url"]["url"].startswith("data:image/jpeg;base64,")


def test_what_was_given_is_sent(server: ModelServer) -> None:
    server.key = KEY
    Asked(
        server,
        key=KEY,
        temperature=0.5,
        reasoning_effort="low",
        reply_tokens=100,
        extra_body={"top_k": 3},
        headers={"x-team": "blue"},
    ).ask()
    asked = server.asked[0]
    wanted = {"temperature": 0.5, "reasoning_effort": "low", "max_tokens": 100, "top_k": 3}
    assert wanted.items() <= asked.body.items()
    assert asked.headers["x-team"] == "blue"


def test_tokens_are_counted_where_they_are_told(server: ModelServer) -> None:
    asked = Asked(server)
    server.queue.append(says("hello", usage=False))
    asked.ask()
    assert str(asked.model.usage) == "1 reply; the server reports no tokens"
    asked.ask()
    assert str(asked.model.usage) == "2 replies, 100 + 20 tokens read and written"


@pytest.mark.parametrize(
    "trouble",
    [
        fails(429, "slow down", retry_after="0"),
        fails(429, "quota of this minute; try again in 2 s", retry_after="0.01"),
        fails(500),
        fails(503, {"detail": "loading"}),
        fails(200, {"error": {"message": "upstream", "code": 502}}),
        sends(b"<html>oops</html>"),
        sends(b'{"choices": []}'),
        sends(b"{" * 100_000),
        half,
        hang_up,
    ],
    ids=range(10),
)
def test_what_passes_is_waited_out(server: ModelServer, trouble: Any) -> None:
    server.queue += [trouble, trouble]
    asked = Asked(server)
    assert asked.ask() == "hello"
    assert len(server.asked) == 3
    assert len(asked.told) == 1, "one line about one wait"


def test_a_server_that_is_gone_is_told_of(server: ModelServer) -> None:
    server.stop()
    with pytest.raises(UnreachableError, match=r"no reply for .* the connection is refused"):
        Asked(server, patience=0.05).ask()


def test_a_server_that_asks_for_too_long_a_wait_is_told_of(server: ModelServer) -> None:
    server.default = fails(429, "later", retry_after="3600")
    with pytest.raises(UnreachableError, match=r"asks to wait 3600 s.*--patience 1"):
        Asked(server, patience=1.0).ask()


@pytest.mark.parametrize("late", [slow(5.0, says("late")), drips(0.05)], ids=["silent", "dripping"])
def test_an_answer_that_is_too_slow_is_given_up(server: ModelServer, late: Any) -> None:
    server.default = late
    with pytest.raises(UnreachableError, match=r"--timeout|too slowly"):
        Asked(server, timeout=0.3, patience=0.01).ask()


def test_another_kind_of_server_is_told_of(server: ModelServer) -> None:
    server.default = sends(b"<html>a page</html>")
    with pytest.raises(UnreachableError, match=r"does not answer as an OpenAI-compatible endpoint"):
        Asked(server).ask()


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (fails(401, f"bad key {KEY}"), "refuses the API key"),
        (fails(404, "no route"), "No chat endpoint found at http://127"),
        (fails(402, "pay"), "cannot pay"),
        (fails(429, "insufficient_quota"), "cannot pay"),
        (fails(400, "maximum context length is 10 tokens"), r"longer than the model .*--batch"),
        (fails(400, "temperature is not supported"), "does not accept 'temperature'"),
        (fails(422, {"detail": "no such thing"}), "refuses the request"),
        (fails(302, location="http://elsewhere/"), "it is at http://elsewhere/"),
    ],
    ids=range(8),
)
def test_what_will_not_pass_is_explained_without_the_key(
    server: ModelServer, trouble: Any, words: str
) -> None:
    server.default = trouble
    asked = Asked(server, key=KEY, temperature=0.1)
    with pytest.raises(RefusedError, match=words) as caught:
        asked.ask()
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


def test_a_wrong_model_is_answered_with_near_ones(server: ModelServer) -> None:
    with pytest.raises(RefusedError, match=r"no model 'tiny-vml'. Did you mean tiny-vlm\?"):
        Asked(server, model="tiny-vml").ask()


def test_newer_models_get_the_newer_bound(server: ModelServer) -> None:
    words = "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens' instead."
    server.queue.append(fails(400, {"error": {"message": words, "param": "max_tokens"}}))
    asked = Asked(server, reply_tokens=99)
    assert [asked.ask(), asked.ask()] == ["hello", "hello"]
    bounds = [(a.body.get("max_tokens"), a.body.get("max_completion_tokens")) for a in server.asked]
    assert bounds == [(99, None), (None, 99), (None, 99)]


def test_a_bound_that_is_too_large_is_lowered_to_what_the_model_has(server: ModelServer) -> None:
    server.queue.append(fails(400, "max_tokens is invalid: at most 4096 completion tokens"))
    asked = Asked(server, reply_tokens=8192)
    assert asked.ask() == "hello"
    assert server.asked[1].body["max_tokens"] == 4096
    assert "at most 4096 tokens" in asked.told[0]


def test_a_reply_that_was_cut_is_told_of_once(server: ModelServer) -> None:
    server.default = says("half a", finish="length")
    asked = Asked(server)
    assert [asked.ask(), asked.ask()] == ["half a", "half a"]
    assert len(asked.told) == 1
    assert "--reply-tokens" in asked.told[0]


@pytest.mark.parametrize(
    "behave", [says(None), says("", refusal="no"), fails(400, "content_filter")]
)
def test_a_model_that_will_not_speak_says_nothing(server: ModelServer, behave: Any) -> None:
    server.default = behave
    assert Asked(server).ask() == ""


def test_a_login_file_does_not_get_in_the_keys_way(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = tmp_path / "netrc"
    login.write_text("machine 127.0.0.1 login me password other\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(login))
    server.key = KEY
    assert Asked(server, key=KEY).ask() == "hello"


def test_a_server_on_a_socket_is_asked_there(tmp_path: Path) -> None:
    with ModelServer(says("hello"), place=tmp_path / "model.sock") as server:
        assert Asked(server).ask() == "hello"
        assert server.asked[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("typed", "chat"),
    [
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("https://h/api/v1/chat/completions", "https://h/api/v1/chat/completions"),
        (
            "https://n.openai.azure.com/openai/deployments/d?api-version=1",
            "https://n.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
        ),
    ],
)
def test_a_base_url_may_end_in_many_ways(typed: str, chat: str) -> None:
    assert read_address(typed).chat == chat


@pytest.mark.parametrize("typed", ["", "h:1", "ftp://h", "http://", "http://h:x", "unix:model"])
def test_what_is_no_base_url_is_refused(typed: str) -> None:
    with pytest.raises(AddressError, match="is not a base URL"):
        read_address(typed)


def test_secrets_are_not_declared() -> None:
    address = read_address("https://me:pass@h/v1?token=abcd&api-version=2")
    assert address.declared == "https://h/v1"
    assert address.secrets == ("pass", "abcd")


def test_the_key_comes_from_the_environment_alone() -> None:
    both = {"OPENAI_API_KEY": "b", "HOUSEGUEST_API_KEY": "a ", "MINE": "c"}
    assert (find_key("", both), find_key("MINE", both), find_key("", {})) == ("a", "c", "")
    with pytest.raises(KeyVariableError, match="no variable NONE"):
        find_key("NONE", both)


def test_the_base_url_may_come_from_the_environment() -> None:
    environment = {"OPENAI_BASE_URL": "http://o", "HOUSEGUEST_BASE_URL": "http://h"}
    assert find_base_url("", environment) == "http://h"
    assert find_base_url("http://x", environment) == "http://x"
    assert find_base_url("", {}) == ""
