"""What servers mean by their errors."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from houseguest_model_client.failures import Failure, Kind, classify

SENT = ("model", "max_tokens", "temperature", "seed", "response_format", "stream")


def judge(status: int, error: Any, **headers: str) -> Failure:
    body = error if isinstance(error, bytes) else json.dumps(error).encode()
    return classify(status, headers, body, SENT)


def openai(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (
            400,
            openai(
                "This model's maximum context length is 8192 tokens. However, your messages"
                " resulted in 9000 tokens.",
                code="context_length_exceeded",
            ),
        ),
        (
            400,
            {
                "object": "error",
                "message": "The decoder prompt (length 5000) is longer than the maximum model"
                " length of 4096.",
                "type": "BadRequestError",
                "code": 400,
            },
        ),
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size, try increasing it",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 5000,
                    "n_ctx": 4096,
                }
            },
        ),
        (400, openai("The input (5000 tokens) is longer than the model's context length (4096).")),
        (400, {"error": "Trying to keep the first 5000 tokens when context length is only 4096"}),
        (400, openai("prompt is too long: 210000 tokens > 200000 maximum")),
        (500, openai("input is too long for this model")),
        (413, b"<html>Request Entity Too Large</html>"),
    ],
)
def test_too_long(status: int, error: Any) -> None:
    assert judge(status, error).kind is Kind.TOO_LONG


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, openai("Incorrect API key provided"), Kind.KEY),
        (403, openai("You have no access"), Kind.KEY),
        (403, openai("Your input was flagged by moderation"), Kind.FILTERED),
        (400, openai("The response was filtered", code="content_filter"), Kind.FILTERED),
        (402, openai("Insufficient credits"), Kind.PAYMENT),
        (429, openai("You exceeded your current quota", code="insufficient_quota"), Kind.PAYMENT),
        (429, openai("Rate limit reached for requests per min"), Kind.PASSING),
        (404, openai("The model `x` does not exist", code="model_not_found"), Kind.MODEL),
        (404, {"error": {"code": "DeploymentNotFound"}}, Kind.MODEL),
        (404, {"error": 'model "x" not found, try pulling it first'}, Kind.MODEL),
        (400, openai("x is not a valid model ID"), Kind.MODEL),
        (404, {"detail": "Not Found"}, Kind.PATH),
        (404, b"404 page not found", Kind.PATH),
        (301, b"", Kind.PATH),
        (500, openai("boom"), Kind.PASSING),
        (502, b"<html><h1>Bad gateway</h1></html>", Kind.PASSING),
        (503, b"", Kind.PASSING),
        (529, openai("Overloaded"), Kind.PASSING),
        (408, b"", Kind.PASSING),
        (400, openai("x is not a multimodal model"), Kind.NO_PICTURES),
        (400, openai("this model does not support image input"), Kind.NO_PICTURES),
        (404, openai("No endpoints found that support image input"), Kind.NO_PICTURES),
        (404, openai("No endpoints found for vendor/name"), Kind.MODEL),
        (429, openai("Try again in 20s. Pay at https://h/account/billing"), Kind.PASSING),
        (429, openai("You exceeded your current quota. Please retry in 7.5s."), Kind.PASSING),
        (500, openai("image input is not supported - you may need the mmproj"), Kind.NO_PICTURES),
        (400, openai("At most 0 image(s) may be provided in one request."), Kind.NO_PICTURES),
        (400, openai("Something odd"), Kind.OTHER),
        (400, b"\xff\xfe\x00", Kind.OTHER),
        (400, [1, 2], Kind.OTHER),
    ],
)
def test_kinds(status: int, error: Any, kind: Kind) -> None:
    assert judge(status, error).kind is kind


@pytest.mark.parametrize(
    ("error", "parameter"),
    [
        (
            openai(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
                " 'max_completion_tokens' instead.",
                param="max_tokens",
                code="unsupported_parameter",
            ),
            "max_tokens",
        ),
        (
            openai(
                "Unsupported value: 'temperature' does not support 0.0 with this model.",
                param="temperature",
            ),
            "temperature",
        ),
        (openai("Unrecognized request argument supplied: seed"), "seed"),
        ({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "no"}]}, "seed"),
        (
            openai("Invalid schema for response_format 'reply': too deep. Not supported."),
            "response_format",
        ),
        (openai("'response_format.type' must be 'json_schema' or 'text'"), "response_format"),
        (openai("json_schema is not supported by this engine"), "response_format"),
        (openai("response_format is not supported by this model"), "response_format"),
        (openai("Failed to parse grammar"), "response_format"),
    ],
)
def test_parameters(error: Any, parameter: str) -> None:
    failure = judge(400, error)
    assert (failure.kind, failure.parameter) == (Kind.PARAMETER, parameter)


def test_a_grammar_that_breaks_the_server_is_not_sent_again() -> None:
    failure = judge(500, openai("failed to parse json_schema"))
    assert (failure.kind, failure.parameter) == (Kind.PARAMETER, "response_format")


def test_waits_that_are_asked_for() -> None:
    assert judge(429, b"", **{"retry-after": "7"}).retry_after == 7.0
    assert judge(429, b"", **{"retry-after-ms": "250"}).retry_after == 0.25
    soon = judge(429, b"", **{"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert soon.retry_after is not None
    assert 50 < soon.retry_after <= 60
    past = judge(429, b"", **{"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    assert past.retry_after == 0.0
    assert judge(429, b"", **{"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}).retry_after is None
    assert judge(429, b"", **{"retry-after": "nan"}).retry_after is None


def test_a_page_is_told_in_a_line() -> None:
    text = judge(502, b"<html>\n<body><h1>Bad\ngateway</h1></body></html>").text
    assert text == "Bad gateway"
