"""What a model's server means when it does not answer as asked."""

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
    """What a failure is about."""

    PASSING = auto()
    """Wait, and ask again."""
    TOO_LONG = auto()
    PARAMETER = auto()
    """The server does not take a parameter, or its value."""
    FILTERED = auto()
    """The words were refused, not the request: that is the model's answer."""
    KEY = auto()
    MODEL = auto()
    PATH = auto()
    PAYMENT = auto()
    TRUST = auto()
    """TLS could not be agreed on."""
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure. ``text`` is the server's own, shortened; ``parameter`` the one it names;
    ``retry_after`` in seconds, where the server says."""

    kind: Kind
    text: str
    status: int = 0
    parameter: str = ""
    retry_after: float | None = None


LONGEST_TEXT = 400
"""Characters of a server's words that are passed on."""

_LONGEST_READ = 20_000
_DAY = 86_400.0
_PASSING = (408, 409, 425, 429)
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (?:size|length|window)|maximum model length"
    r"|(?:prompt|input) is too long|too many (?:input )?tokens|exceed_context_size",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content_policy|content management policy|moderation|flagged|usage policies",
    re.IGNORECASE,
)
_PAYMENT = re.compile(
    r"insufficient_quota|insufficient (?:credits|balance|funds)|exceeded your current quota"
    r"|billing hard limit",
    re.IGNORECASE,
)
# Some call the limit of a minute a quota too.
_SOON = re.compile(r"(?:try again|retry) (?:in|after) [\d.]+|retryDelay", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|(?:no such|unknown|invalid|not a valid) model"
    r"|model[^.]{0,120}(?:not found|not exist|unknown|not a valid|no access|not loaded)",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|extra_forbidden|not permitted"
    r"|not allowed|invalid|must be|should be",
    re.IGNORECASE,
)
_ALWAYS_SENT = ("model", "messages", "stream")


def classify(
    status: int, headers: Mapping[str, str], body: bytes, sent: tuple[str, ...]
) -> Failure:
    """Reads an answer other than a good one. ``sent`` are the parameters of the request."""
    text, named = _explain(body)
    text = text[:_LONGEST_READ]
    short = " ".join(text.split())[:LONGEST_TEXT] or f"HTTP status {status}"
    if 300 <= status < 400:
        # Not followed: a key would go along, to who knows whom.
        return Failure(Kind.PATH, f"it is at {headers.get('location', 'another place')}", status)
    kind, parameter = _kind(status, text), ""
    if kind is Kind.OTHER:
        parameter = _parameter(text, named, sent)
        kind = Kind.PARAMETER if parameter else kind
    return Failure(kind, short, status, parameter, _retry_after(headers))


def _kind(status: int, text: str) -> Kind:
    if status in (401, 403):
        return Kind.FILTERED if status == 403 and _FILTERED.search(text) else Kind.KEY
    if status == 402 or (status == 429 and _PAYMENT.search(text) and not _SOON.search(text)):
        return Kind.PAYMENT
    if status == 404:
        return Kind.MODEL if re.search(r"model|deployment|endpoints", text, re.I) else Kind.PATH
    if status == 413 or (status != 429 and _TOO_LONG.search(text)):
        return Kind.TOO_LONG
    if status in _PASSING or (status >= 500 and status not in (501, 505)):
        return Kind.PASSING
    if _FILTERED.search(text):
        return Kind.FILTERED
    return Kind.MODEL if _NO_MODEL.search(text) else Kind.OTHER


def _parameter(text: str, named: str, sent: tuple[str, ...]) -> str:
    """Which of the sent parameters the server complains of; "" where it names none."""
    candidates = [name for name in sent if name not in _ALWAYS_SENT]
    first = named.split(".", maxsplit=1)[0]
    if first in candidates:
        return first
    if not _PARAMETER.search(text):
        return ""
    mentioned = (name for name in candidates if re.search(rf"\b{re.escape(name)}\b", text))
    return next(mentioned, "")


def _explain(body: bytes) -> tuple[str, str]:
    """An error body's words, and the parameter that it names in a field of its own."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        text = body[:4000].decode("utf-8", "replace")
        return re.sub(r"<[^>]{0,200}>", " ", text), ""
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error), ""
    words = [error.get(name) for name in ("message", "detail", "code", "type")]
    text = " ".join(_words(each) for each in words if each)
    named = error.get("param")
    return text or str(document), named if isinstance(named, str) else ""


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks for, in numbers or as a date (RFC 9110, 10.2.3)."""
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
