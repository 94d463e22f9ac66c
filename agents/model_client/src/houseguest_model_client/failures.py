"""Classifies the failures of a server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import Any


class Kind(Enum):
    """What to do about a failure."""

    PASSING = auto()
    """Wait, and ask again."""
    TOO_LONG = auto()
    """Ask for less."""
    PARAMETER = auto()
    """The server does not accept a parameter, or its value."""
    FILTERED = auto()
    """The server refused the contents, not the request: that is the answer."""
    NO_PICTURES = auto()
    KEY = auto()
    MODEL = auto()
    PATH = auto()
    PAYMENT = auto()
    TRUST = auto()
    """TLS could not be negotiated."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure. ``text`` is the server's own, shortened; ``parameter`` is the one it names;
    ``retry_after`` is in seconds, if the server states it. ``slow``: the server accepted the
    request, but did not answer in time."""

    kind: Kind
    text: str
    status: int = 0
    parameter: str = ""
    retry_after: float | None = None
    slow: bool = False


LONGEST_TEXT = 400
"""The number of characters of a server's text that are passed on."""
LONGEST_READ = 20_000
"""The number of characters that are searched for known phrases."""
_DAY = 86_400.0
_PASSING = (408, 409, 425, 429)

# Wording of OpenAI, Azure, vLLM, SGLang, llama.cpp, LM Studio, Anthropic, Gemini and Mistral.
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context size"
    r"|context length|context window|maximum model length|prompt is too long|input is too long"
    r"|input token count|exceeds? the (?:model's )?(?:maximum|limit)[^.]{0,40}tokens"
    r"|tokens_limit_reached|too many (?:input )?tokens|too large for model",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content_policy|content management policy|responsibleaipolicy|moderation"
    r"|flagged|safety system|usage policies",
    re.IGNORECASE,
)
_NO_PICTURES = re.compile(
    r"(?:images?|vision|multi-?modal)\b[^.]{0,60}(?:not support|unsupported|not allowed|disabled"
    r"|not enabled|not available)"
    r"|(?:not|n't|cannot|no)\s(?:\w+\s){0,3}(?:support|accept|process|handle|take)\w*[^.]{0,40}"
    r"(?:image|vision|multi-?modal)"
    r"|not a (?:multi-?modal|vision) model|at most 0 image|mmproj|only supports? text",
    re.IGNORECASE,
)
_PAYMENT = re.compile(
    r"insufficient_quota|insufficient (?:credits|balance|funds)|exceeded your current quota"
    r"|billing hard limit",
    re.IGNORECASE,
)
# Some servers also call the limit per minute a quota, and tell every free account how to pay.
_SOON = re.compile(r"(?:try again|retry) (?:in|after) [\d.]+|retryDelay", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|deploymentnotfound"
    r"|model[^.]{0,120}(?:not found|does not exist|not exist|unknown|not a valid|no access"
    r"|not loaded|not available)"
    r"|(?:no such|unknown|invalid|not a valid) model|no endpoints found",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    r"unsupported|not supported|unknown|unrecognized|unexpected|extra_forbidden|not permitted"
    r"|does not support|not allowed|invalid|must be|should be",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response_format|json_schema|json_object|structured output|grammar|guided", re.IGNORECASE
)
_ALWAYS_SENT = ("model", "messages", "stream")
_QUOTED = re.compile(r"['\"`]([a-z_][a-z0-9_.]{1,40})['\"`]")


def classify(
    status: int, headers: Mapping[str, str], body: bytes, sent: tuple[str, ...]
) -> Failure:
    """Classifies an answer with an error status. ``sent`` holds the parameters of the request."""
    text, named = _explain(body)
    text = text[:LONGEST_READ]
    short = " ".join(text.split())[:LONGEST_TEXT] or f"HTTP status {status}"
    if 300 <= status < 400:
        # Not followed: the key would be sent along to an unknown server.
        return Failure(Kind.PATH, f"it is at {headers.get('location', 'another place')}", status)
    wait = _retry_after(headers)
    kind, parameter = _kind(status, text), ""
    if kind is Kind.OTHER:
        parameter = _parameter(text, named, sent)
        kind = Kind.PARAMETER if parameter else kind
    return Failure(kind, short, status, parameter, wait)


def _kind(status: int, text: str) -> Kind:
    if status in (401, 403):
        return Kind.FILTERED if status == 403 and _FILTERED.search(text) else Kind.KEY
    if status == 402 or (status == 429 and _PAYMENT.search(text) and not _SOON.search(text)):
        return Kind.PAYMENT
    if status == 404 and not _NO_PICTURES.search(text):
        return Kind.MODEL if re.search(r"model|deployment|endpoints", text, re.I) else Kind.PATH
    if status == 413 or (status != 429 and _TOO_LONG.search(text)):
        return Kind.TOO_LONG
    if status in _PASSING:
        return Kind.PASSING
    if _NO_PICTURES.search(text) and not _FORMAT.search(text):
        return Kind.NO_PICTURES
    if status >= 500 and status not in (501, 505) and not _FORMAT.search(text):
        return Kind.PASSING
    if _FILTERED.search(text):
        return Kind.FILTERED
    return Kind.MODEL if _NO_MODEL.search(text) else Kind.OTHER


def _parameter(text: str, named: str, sent: tuple[str, ...]) -> str:
    """The parameter that the server complains about; "" if it names none."""
    candidates = [name for name in sent if name not in _ALWAYS_SENT]
    first = named.split(".", maxsplit=1)[0]
    if first in candidates:
        return first
    if _PARAMETER.search(text):
        quoted = [name.split(".")[0] for name in _QUOTED.findall(text)]
        mentioned = [name for name in candidates if re.search(rf"\b{re.escape(name)}\b", text)]
        for name in (*quoted, *mentioned):
            if name in candidates:
                return str(name)
    return "response_format" if _FORMAT.search(text) and "response_format" in sent else ""


def _explain(body: bytes) -> tuple[str, str]:
    """The text of an error body, and the parameter in a separate field, if any."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        text = body[:4000].decode("utf-8", "replace")
        return re.sub(r"<[^>]{0,200}>", " ", text), ""
    if not isinstance(document, dict):
        return str(document), ""
    error = document.get("error", document)
    if isinstance(error, str):
        return error, ""
    if not isinstance(error, dict):
        return str(document), ""
    words = [error.get("message"), error.get("detail"), error.get("code"), error.get("type")]
    metadata = error.get("metadata")
    if isinstance(metadata, dict):
        words.append(metadata.get("raw"))
    text = " ".join(_words(each) for each in words if each)
    named = error.get("param")
    return text or str(document), named if isinstance(named, str) else _location(error)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _location(error: Mapping[str, Any]) -> str:
    """The parameter in an error of FastAPI's: {"detail": [{"loc": ["body", "seed"]}]}."""
    detail = error.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else None
    place = first.get("loc") if isinstance(first, dict) else None
    return str(place[1]) if isinstance(place, list) and len(place) > 1 else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks for, as a number or a date (RFC 9110, 10.2.3)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < _DAY:
            return seconds
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        seconds = moment.timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return max(0.0, seconds) if seconds < _DAY else None
