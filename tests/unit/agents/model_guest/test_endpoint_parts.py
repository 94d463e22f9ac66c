"""Addresses, bodies, parameters and completions."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from houseguest_model_client.address import AddressError, read_address
from houseguest_model_client.client import Parameters, room_for_reply
from houseguest_model_client.completion import Finish, NonsenseError, error_inside, read_completion
from houseguest_model_client.config import EndpointConfig, Guided
from houseguest_model_client.failures import Failure, Kind
from houseguest_model_client.messages import BodyWriter, Message, Picture, Role

from tests.support.model_server import completion

V1 = "http://h:1/v1/chat/completions"
AZURE = "https://n.openai.azure.com/openai/deployments/d"


@pytest.mark.parametrize(
    ("typed", "chat", "models"),
    [
        ("http://h:1", V1, "http://h:1/v1/models"),
        ("http://h:1/", V1, "http://h:1/v1/models"),
        ("http://h:1/v1", V1, "http://h:1/v1/models"),
        ("http://h:1/v1/", V1, "http://h:1/v1/models"),
        (" http://h:1/v1/chat/completions ", V1, "http://h:1/v1/models"),
        (
            "https://openrouter.ai/api/v1",
            "https://openrouter.ai/api/v1/chat/completions",
            "https://openrouter.ai/api/v1/models",
        ),
        (
            "https://g.com/v1beta/openai/",
            "https://g.com/v1beta/openai/chat/completions",
            "https://g.com/v1beta/openai/models",
        ),
        (
            f"{AZURE}?api-version=1",
            f"{AZURE}/chat/completions?api-version=1",
            "https://n.openai.azure.com/openai/models?api-version=1",
        ),
        (
            "https://n.openai.azure.com",
            "https://n.openai.azure.com/openai/v1/chat/completions",
            "https://n.openai.azure.com/openai/v1/models",
        ),
    ],
)
def test_addresses(typed: str, chat: str, models: str) -> None:
    address = read_address(typed)
    assert (address.chat, address.models) == (chat, models)
    assert address.azure == ("azure" in typed)


@pytest.mark.parametrize(
    ("typed", "socket", "chat"),
    [
        ("unix:/run/m.sock", "/run/m.sock", "http://localhost/v1/chat/completions"),
        ("unix:/run/m.sock:/", "/run/m.sock", "http://localhost/v1/chat/completions"),
        ("unix:/m.sock:/v1/chat/completions", "/m.sock", "http://localhost/v1/chat/completions"),
        ("unix:/m:/api/v2/", "/m", "http://localhost/api/v2/chat/completions"),
    ],
)
def test_addresses_on_a_socket(typed: str, socket: str, chat: str) -> None:
    address = read_address(typed)
    assert (address.socket, address.chat) == (socket, chat)
    assert read_address(address.declared) == address


def test_an_address_on_the_network_has_no_socket() -> None:
    assert read_address("http://h:1").socket == ""


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("unix:model.sock", "must be like"),
        ("unix:/", "must be like"),
        ("unix:/run/model/", "must be like"),
        ("unix:/m.sock:v1", "must be like"),
        ("unix:/m.sock?key=1", "must be like"),
        (f"unix:/{'x' * 107}", "107 bytes"),
    ],
)
def test_no_address_on_a_socket(typed: str, told: str) -> None:
    with pytest.raises(AddressError, match=told):
        read_address(typed)


def test_an_address_is_declared_without_its_secrets() -> None:
    assert read_address("https://user:pw@h/v1?sig=abc").declared == "https://h/v1"


@pytest.mark.parametrize(
    "typed", ["", "h:1", "ftp://h", "http://", "http://[::1", "http://h:x/v1", "http://a b"]
)
def test_no_address(typed: str) -> None:
    with pytest.raises(AddressError):
        read_address(typed)


def test_bodies_pass_pictures_through() -> None:
    data = bytes(range(256)) * 500
    shown = Picture(data, "image/webp")
    messages = (
        Message(Role.SYSTEM, ('be "kind"\n',)),
        Message(Role.USER, ("see", shown, "ünd", shown)),
    )
    body = BodyWriter().write(messages, {"model": "m", "stream": False})
    document = json.loads(bytes(body))
    assert body.length == len(bytes(body))
    assert document["messages"][0] == {"role": "system", "content": 'be "kind"\n'}
    first, picture, text, again = document["messages"][1]["content"]
    assert first == {"type": "text", "text": "see"}
    head, _, tail = picture["image_url"]["url"].partition(",")
    assert head == "data:image/webp;base64"
    assert base64.b64decode(tail) == data
    assert text["text"] == "ünd"
    assert again == picture
    assert document["model"] == "m"
    assert bytes(body).startswith(b'{"messages":')


def test_words_that_are_no_unicode_are_sent_all_the_same() -> None:
    body = BodyWriter().write((Message(Role.USER, ("\ud800",)),), {"model": "m"})
    assert json.loads(bytes(body))["messages"][0]["content"] == "?"


def config(**changes: Any) -> EndpointConfig:
    values = {"address": read_address("http://h:1"), "model": "m", **changes}
    return EndpointConfig(**values)


def failure(parameter: str, text: str = "not supported") -> Failure:
    return Failure(Kind.PARAMETER, text, 400, parameter)


SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_only_what_was_chosen_is_sent() -> None:
    parameters = Parameters(config(), print)
    assert parameters.build(None, 8192) == {"model": "m", "max_tokens": 8192, "stream": False}
    chosen = Parameters(config(temperature=0.0, top_p=0.9, seed=0, extra_body={"k": 1}), print)
    sent = chosen.build(None, None)
    assert (sent["temperature"], sent["top_p"], sent["k"]) == (0.0, 0.9, 1)


def test_seeds_differ_by_draw_and_agree_when_it_is_repeated() -> None:
    def seed(chosen: int, draw: str) -> int:
        return int(Parameters(config(seed=chosen), print).build(None, None, draw)["seed"])

    assert seed(0, "7:1") == seed(0, "7:1")
    assert len({seed(0, "7:1"), seed(0, "7:2"), seed(0, "8:1"), seed(1, "7:1")}) == 4
    assert all(0 <= seed(n, "") < 2**31 for n in range(50))


def test_the_bound_on_replies_takes_the_name_that_the_server_wants() -> None:
    parameters = Parameters(config(), print)
    assert parameters.adapt(failure("max_tokens"), parameters.build(None, 10))
    assert parameters.build(None, 10)["max_completion_tokens"] == 10
    assert parameters.declared()["reply_tokens"] == "8192 (max_completion_tokens)"
    assert not parameters.adapt(failure("max_completion_tokens"), parameters.build(None, 10))


def test_guided_decoding_goes_down_the_ladder() -> None:
    parameters = Parameters(config(), lambda _: None)
    kinds = []
    for _ in range(2):
        sent = parameters.build(SCHEMA, None)
        kinds.append(sent["response_format"]["type"])
        assert parameters.adapt(failure("response_format"), sent)
    assert kinds == ["json_schema", "json_object"]
    assert "response_format" not in parameters.build(SCHEMA, None)
    assert parameters.declared()["guided"] == "off (auto)"


def test_what_the_user_chose_is_never_changed() -> None:
    parameters = Parameters(config(temperature=0.0, guided=Guided.JSON_SCHEMA), print)
    sent = parameters.build(SCHEMA, None)
    assert not parameters.adapt(failure("temperature"), sent)
    assert not parameters.adapt(failure("response_format"), sent)


def test_the_bound_is_not_renamed_back_and_forth() -> None:
    parameters = Parameters(config(), print)
    either = Failure(Kind.PARAMETER, "max_tokens or max_completion_tokens", 400, "max_tokens")
    assert parameters.adapt(either, parameters.build(None, 10))
    again = Failure(Kind.PARAMETER, either.text, 400, "max_completion_tokens")
    assert not parameters.adapt(again, parameters.build(None, 10))


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
        "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens",
        "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens`",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]",
    ],
)
def test_the_bound_on_replies_comes_down_to_what_the_model_has(text: str) -> None:
    parameters = Parameters(config(), lambda _: None)
    refused = Failure(Kind.PARAMETER, text, 400, "max_tokens")
    assert parameters.adapt(refused, parameters.build(None, 8192))
    assert parameters.build(None, 8192)["max_tokens"] == 4096
    assert parameters.build(None, 1000)["max_tokens"] == 1000
    assert parameters.declared()["reply_tokens"] == "4096 (max_tokens)"


def test_a_seed_is_a_wish() -> None:
    parameters = Parameters(config(seed=3), lambda _: None)
    assert parameters.adapt(failure("seed"), parameters.build(None, None))
    assert "seed" not in parameters.build(None, None)
    assert parameters.declared()["sampling_seed"] == "refused by the server"


@pytest.mark.parametrize(
    ("text", "room"),
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested 9000"
            " tokens (808 in the messages, 8192 in the completion).",
            3287,
        ),
        (
            "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens"
            " and your request has 808 input tokens.",
            3287,
        ),
        ("maximum context length is 4096 tokens; 4000 in the messages", None),
        ("prompt is too long", None),
    ],
)
def test_room_for_a_reply(text: str, room: int | None) -> None:
    assert room_for_reply(Failure(Kind.TOO_LONG, text, 400), 8192) == room


def read(document: Any) -> Any:
    return read_completion(document, 1.5, "m", 2)


def test_usage() -> None:
    (usage,) = read(completion("x")).usage
    assert (usage.input_tokens, usage.output_tokens) == (100, 20)
    assert (usage.cached_input_tokens, usage.reasoning_tokens) == (60, 5)
    assert (usage.images, usage.latency, usage.model) == (2, 1.5, "m")


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"prompt_tokens": None},
        {"prompt_tokens": "many", "prompt_tokens_details": 3},
        {"prompt_tokens": -5, "cost": float("nan")},
    ],
)
def test_usage_that_is_not_told(told: Any) -> None:
    found = read({**completion("x"), "usage": told})
    assert not found.usage[0].reported
    assert found.usage[0].input_tokens == 0


def test_a_cost_that_the_server_tells() -> None:
    document = completion("x")
    document["usage"]["cost"] = 0.25
    assert read(document).usage[0].cost_usd == 0.25


@pytest.mark.parametrize(
    ("document", "text", "finish"),
    [
        (completion("x"), "x", Finish.STOP),
        (completion("x", finish="length"), "x", Finish.LENGTH),
        (completion(None, refusal="No."), "No.", Finish.REFUSED),
        (
            completion("", finish="content_filter"),
            "(the model's server withheld the reply: content filter)",
            Finish.REFUSED,
        ),
        (
            completion(None, tool_calls=[{"function": {"name": "f", "arguments": "{}"}}]),
            '{"name": "f", "arguments": "{}"}',
            Finish.STOP,
        ),
        (completion([{"type": "text", "text": "a"}, {"text": "b"}]), "ab", Finish.STOP),  # type: ignore[arg-type]
        ({"choices": [{"text": "old"}]}, "old", Finish.STOP),
    ],
)
def test_replies(document: Any, text: str, finish: Finish) -> None:
    found = read(document)
    assert (found.said, found.finish) == (text, finish)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning(name: str) -> None:
    assert read(completion("x", **dict[str, Any]({name: "because"}))).reasoning == "because"


@pytest.mark.parametrize("document", [completion(None), completion("  "), {"choices": [{}]}])
def test_empty_replies(document: Any) -> None:
    assert read(document).empty


NONSENSE = [[], {}, "x", None, {"choices": "x"}, {"choices": [1]}, {"choices": []}]


@pytest.mark.parametrize("document", NONSENSE)
def test_nonsense(document: Any) -> None:
    with pytest.raises(NonsenseError):
        read(document)


@pytest.mark.parametrize(
    "document",
    [
        {"error": {"code": 502}},
        {"choices": [], "error": "down"},
        completion("half a", finish="error"),
        {"choices": [{"message": {"content": ""}, "error": {"code": 502}}]},
    ],
)
def test_an_error_with_a_good_status_is_found(document: Any) -> None:
    assert error_inside(document)
    assert error_inside({**completion("fine"), "error": None}) is None


def test_thoughts_among_the_parts_are_no_answer() -> None:
    parts = [{"type": "reasoning", "text": "I could go left."}, {"type": "text", "text": "right"}]
    document = completion(None)
    document["choices"][0]["message"]["content"] = parts
    assert read(document).text == "right"


def test_several_tool_calls_are_a_list_and_no_single_action() -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("left", "right")]
    text = read(completion(None, tool_calls=calls)).text
    assert [call["name"] for call in json.loads(text)] == ["left", "right"]
    assert read(completion(None, tool_calls=["x"])).empty


def test_what_could_not_be_sent_on_is_mended() -> None:
    assert read(completion("half \ud800, whole \ud83d\ude00")).text == "half \ufffd, whole 😀"
    assert read(completion("x" * 2_000_000 + "end")).text.endswith("end")
    assert len(read(completion("x" * 2_000_000)).text) < 1_000_000
    document = completion("x")
    document["usage"]["prompt_tokens"] = 2**80
    assert read(document).usage[0].input_tokens <= 10**9
