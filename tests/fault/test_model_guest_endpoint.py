"""A model's server that fails in every way: what the endpoint makes of it."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig, Guided, Waiting
from model_guest.endpoint.model import EndpointModel, check_endpoint
from model_guest.model import (
    ContextOverflowError,
    Finish,
    Message,
    Picture,
    RefusedError,
    Request,
    Role,
    UnreachableError,
)

from tests.support.model_server import (
    MODEL,
    Behaviour,
    ModelServer,
    fails,
    half,
    hang_up,
    says,
    sends,
    slow,
)

KEY = "sk-very-secret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready"]}},
    "required": ["word"],
    "additionalProperties": False,
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says("at last")) as running:
        yield running


class Lines(list[str]):
    """A log."""

    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def log() -> Lines:
    return Lines()


@pytest.fixture
def connect(server: ModelServer, log: Lines) -> Iterator[Callable[..., EndpointModel]]:
    made: list[EndpointModel] = []

    def make(patience: float = 20.0, timeout: float = 60.0, **changes: Any) -> EndpointModel:
        waiting = Waiting(timeout, patience, first=0.01, longest=0.05, rng=random.Random(0))
        values = {"address": read_address(server.url), "model": MODEL, "key": KEY, **changes}
        made.append(EndpointModel(EndpointConfig(waiting=waiting, **values), log))
        return made[-1]

    yield make
    for model in made:
        model.close()


def ask(schema: Any = None, deadline: float | None = None, *parts: Picture) -> Request:
    message = Message(Role.USER, ("hello", *parts))
    return Request((message,), schema=schema, deadline=deadline, slow="Give it a day.")


Connect = Callable[..., EndpointModel]

PASSING: dict[str, Behaviour] = {
    "429": fails(429, "slow down", retry_after="0.01"),
    "500": fails(500, "boom"),
    "502 page": sends(b"<html><h1>Bad gateway</h1></html>", 502),
    "503": sends(b"", 503),
    "error with a good status": fails(200, {"error": {"code": 503, "message": "overloaded"}}),
    "half a body": half,
    "cut connection": hang_up,
    "empty choices": fails(200, {"choices": []}),
    "null content": says(None),
    "blank": says("  \n"),
    "garbage": sends(b"\x00\xff\xfe garbage", 200),
    "no JSON": sends(b"{", 200),
    "no completion": fails(200, {"hello": "world"}),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_waited_for(name: str, server: ModelServer, connect: Connect) -> None:
    server.queue += [PASSING[name]] * 2
    reply = connect().reply(ask())
    assert reply.text == "at last"
    assert len(server.asked) == 3
    assert server.asked[0].raw == server.asked[2].raw


def test_a_slow_server_is_asked_again(server: ModelServer, connect: Connect) -> None:
    server.queue.append(slow(0.6, says("too late")))
    assert connect(timeout=0.2).reply(ask()).text == "at last"


def test_retry_after_is_honoured(server: ModelServer, connect: Connect) -> None:
    server.queue.append(fails(429, "slow down", retry_after="0.3"))
    started = time.monotonic()
    connect().reply(ask())
    assert time.monotonic() - started >= 0.3


def test_replies_in_vain_are_paid_for(server: ModelServer, connect: Connect) -> None:
    server.queue += [says(None)] * 2
    assert len(connect().reply(ask()).usage) == 3


def test_a_model_that_says_nothing_at_last_has_said_that(
    server: ModelServer, connect: Connect
) -> None:
    server.default = says("")
    reply = connect().reply(ask())
    assert (reply.text, len(reply.usage)) == ("", 4)


def test_a_server_that_is_gone_is_waited_for(
    server: ModelServer, connect: Connect, log: Lines
) -> None:
    server.stop()
    with pytest.raises(UnreachableError, match=r"gave no reply for .* \(--patience"):
        connect(patience=0.3).reply(ask())
    (notice,) = [line for line in log if line.startswith("notice: ")]
    place = server.url.removesuffix("/")
    assert place in notice
    assert "the connection is refused, so nothing listens there" in notice
    assert re.search(r"tries again until \d\d:\d\d:\d\d .*--patience 0\.3", notice)


def test_a_first_reply_that_takes_long_is_told_once(
    server: ModelServer, connect: Connect, log: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("houseguest_model_client.transport.SILENT_SECONDS", 0.1)
    server.queue += [slow(0.6, says("at last"))] * 2
    model = connect()
    model.reply(ask())
    model.reply(ask())
    silent, answered = [line for line in log if line.startswith("notice: ")]
    assert f"at {server.url.removesuffix('/')} has not replied for 0.1 s" in silent
    assert re.search(r"waits until \d\d:\d\d:\d\d .*--timeout 60\)", silent)
    assert answered.endswith(" answers.")


def test_the_end_of_a_wait_is_told(server: ModelServer, connect: Connect, log: Lines) -> None:
    server.queue += [fails(503, "loading")] * 2
    connect().reply(ask())
    notices = [line for line in log if line.startswith("notice: ")]
    assert "HTTP 503: loading. The agent tries again until" in notices[0]
    assert notices[1].endswith("answers again.")
    assert len(notices) == 2


def test_a_deadline_goes_before_the_patience(server: ModelServer, connect: Connect) -> None:
    server.default = slow(2, says("too late"))
    with pytest.raises(UnreachableError, match=r"can wait no longer.* Give it a day"):
        connect().reply(ask(deadline=time.monotonic() + 0.3))
    with pytest.raises(UnreachableError):
        connect().reply(ask(deadline=time.monotonic() - 1))


def test_more_time_is_no_advice_where_nothing_listens(
    server: ModelServer, connect: Connect
) -> None:
    server.stop()
    with pytest.raises(UnreachableError, match="connection is refused") as caught:
        connect().reply(ask(deadline=time.monotonic() + 0.3))
    assert "Give it a day" not in str(caught.value)


def test_the_check_of_a_server_that_does_not_run_ends_at_once(
    server: ModelServer, connect: Connect, log: Lines
) -> None:
    server.stop()
    (check,) = check_endpoint(connect())
    assert (check.name, check.state) == ("endpoint", "problem")
    assert "the connection is refused" in check.found
    assert "start the server" in check.mend
    assert log == []


def test_a_long_wait_that_is_asked_for_is_not_begun(server: ModelServer, connect: Connect) -> None:
    server.queue.append(fails(429, "tomorrow", retry_after="3600"))
    with pytest.raises(UnreachableError, match="tomorrow"):
        connect().reply(ask())


def test_a_web_page_is_no_endpoint(server: ModelServer, connect: Connect) -> None:
    server.default = sends(b"<html>Welcome!</html>")
    with pytest.raises(UnreachableError, match="--base-url"):
        connect().reply(ask())


class TestRefusals:
    """What waiting does not change."""

    def test_a_wrong_key_stops_at_once_and_is_never_told(
        self, server: ModelServer, connect: Connect, log: Lines
    ) -> None:
        server.key = "another"
        model = connect()
        with pytest.raises(RefusedError, match="HOUSEGUEST_API_KEY") as caught:
            model.reply(ask())
        assert len(server.asked) == 1
        told = f"{caught.value} {log} {model.configuration()} {model._config!r}"
        assert KEY not in told
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"

    def test_azure_takes_the_key_in_a_header_of_its_own(self) -> None:
        address = read_address("https://n.openai.azure.com/openai/deployments/d?api-version=1")
        model = EndpointModel(EndpointConfig(address, "d", KEY), print)
        assert model._client._transport._client.headers["api-key"] == KEY
        assert "authorization" not in model._client._transport._client.headers
        model.close()

    def test_an_unknown_model_is_told_with_the_nearest(
        self, server: ModelServer, connect: Connect
    ) -> None:
        server.models = ["tiny-vlm-2", "other"]
        with pytest.raises(RefusedError, match=r"'tiny-vlm'.* Did you mean tiny-vlm-2\?"):
            connect().reply(ask())

    @pytest.mark.parametrize(
        ("behave", "words"),
        [
            (fails(402, "Insufficient credits"), "cannot pay"),
            (fails(429, "You exceeded your current quota"), "cannot pay"),
            (fails(404, {"detail": "Not Found"}), "--base-url"),
            (fails(400, "this model does not support image input"), "--pictures off"),
            (fails(400, "Something odd"), "Something odd"),
        ],
    )
    def test_others(
        self, server: ModelServer, connect: Connect, behave: Behaviour, words: str
    ) -> None:
        server.queue.append(behave)
        with pytest.raises(RefusedError, match=words):
            connect().reply(ask())
        assert len(server.asked) == 1

    def test_a_filter_is_the_models_answer(self, server: ModelServer, connect: Connect) -> None:
        server.queue.append(fails(400, "Triggering content management policy"))
        reply = connect().reply(ask())
        assert reply.finish is Finish.REFUSED
        assert "content management policy" in reply.text

    @pytest.mark.parametrize(
        "error",
        [
            "This model's maximum context length is 4096 tokens.",
            {"error": {"code": 400, "type": "exceed_context_size_error", "message": "too long"}},
            {"object": "error", "message": "longer than the maximum model length of 4096"},
        ],
    )
    def test_too_long(self, server: ModelServer, connect: Connect, error: Any) -> None:
        server.queue.append(fails(400, error))
        with pytest.raises(ContextOverflowError, match=r"longer than the model .* can read"):
            connect().reply(ask())


class TestAdapting:
    """Servers that take other parameters."""

    def test_the_bound_is_renamed(self, server: ModelServer, connect: Connect) -> None:
        text = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        server.queue.append(fails(400, text))
        model = connect()
        assert model.reply(ask()).text == "at last"
        assert server.asked[1].body["max_completion_tokens"] == 8192
        assert model.configuration()["reply_tokens"] == "8192 (max_completion_tokens)"

    def test_the_bound_is_lowered_to_what_fits(self, server: ModelServer, connect: Connect) -> None:
        text = "maximum context length is 4096 tokens (808 in the messages, 8192 in the completion)"
        server.queue.append(fails(400, text))
        connect().reply(ask())
        assert server.asked[1].body["max_tokens"] == 3287

    @pytest.mark.parametrize(
        ("formats", "used"),
        [(["json_schema"], "json-schema"), (["json_object"], "json-object"), ([], "off")],
    )
    def test_guided_decoding(
        self, server: ModelServer, connect: Connect, formats: list[str], used: str
    ) -> None:
        server.formats = set(formats)
        model = connect()
        assert model.reply(ask(SCHEMA)).text == "at last"
        assert model.configuration()["guided"] == f"{used} (auto)"
        model.reply(ask(SCHEMA))
        assert server.asked[-1].body.get("response_format") == server.asked[-2].body.get(
            "response_format"
        )

    def test_guided_decoding_that_was_asked_for_is_not_given_up(
        self, server: ModelServer, connect: Connect
    ) -> None:
        server.formats = set()
        with pytest.raises(RefusedError, match="'response_format'"):
            connect(guided=Guided.JSON_SCHEMA).reply(ask(SCHEMA))

    def test_a_temperature_that_is_not_taken_stops_the_guest(
        self, server: ModelServer, connect: Connect
    ) -> None:
        text = "Unsupported value: 'temperature' does not support 0.5 with this model."
        server.queue.append(fails(400, text))
        with pytest.raises(RefusedError, match="'temperature'"):
            connect(temperature=0.5).reply(ask())

    def test_a_cut_reply_is_asked_for_once_more_with_more_room(
        self, server: ModelServer, connect: Connect
    ) -> None:
        server.default = says("cut", finish="length")
        reply = connect(reply_tokens=10, longer_tokens=100).reply(ask())
        assert [asked.body["max_tokens"] for asked in server.asked] == [10, 100]
        assert (reply.finish, len(reply.usage)) == (Finish.LENGTH, 2)
        server.asked.clear()
        connect(reply_tokens=10).reply(ask())
        assert len(server.asked) == 1


def test_no_usage_is_declared(server: ModelServer, connect: Connect) -> None:
    server.default = says("hi", usage=False)
    model = connect()
    assert model.reply(ask()).usage[0].input_tokens == 0
    assert model.configuration()["usage"] == "not reported"


def test_pictures_and_headers_arrive(server: ModelServer, connect: Connect) -> None:
    model = connect(headers={"x-title": "secret title"}, extra_body={"top_k": 5})
    picture = Picture(b"\x89PNG bytes", "image/png")
    model.reply(ask(None, None, picture))
    (asked,) = server.asked
    assert asked.pictures == [b"\x89PNG bytes"]
    assert asked.headers["x-title"] == "secret title"
    assert asked.body["top_k"] == 5
    assert asked.path == "/v1/chat/completions"
    declared = json.dumps(model.configuration())
    assert "secret title" not in declared
    assert "x-title" in declared
