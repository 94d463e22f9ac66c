"""A small client of OpenAI-compatible chat servers: one question, one text.

It waits and asks again where a server fails for a while, and says why where it fails for
good.
"""

from __future__ import annotations

import base64
import difflib
import json
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import Any, Protocol

import requests
from docker.transport import UnixHTTPAdapter
from requests.auth import AuthBase
from urllib3.exceptions import HTTPError

from env_service.chat.completion import NonsenseError, Usage, error_inside, read_completion
from env_service.chat.settings import EndpointConfig, Waiting

NONSENSE = 4
"""Answers in a row that are no chat completion, after which a server is taken for another kind."""
MOST_BYTES = 64 * 1024 * 1024
"""The largest answer that is read."""

_PIECE = 1 << 16
_CONNECT_SECONDS = 20.0
_LIST_SECONDS = 15.0
_NEWER_NAME = "api.openai.com"
_OLD, _NEW = "max_tokens", "max_completion_tokens"
_MOST = re.compile(
    r"at most (\d+) (?:completion|output)|\d > (\d+), which is the maximum"
    r"|less than or equal to [`'\"]?(\d+)",
    re.IGNORECASE,
)
_LEAST_REPLY = 256


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that goes along with a message. ``kind``: its media type."""

    data: bytes = field(repr=False)
    kind: str = "image/png"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. ``role``: "system", "user" or "assistant". ``pictures`` stand
    behind the text, in their order; where there are none, the text alone is sent, as a text."""

    role: str
    text: str
    pictures: tuple[Picture, ...] = ()


class Asks(Protocol):
    """What answers: `ChatModel`, or a stand-in."""

    def ask(self, messages: Sequence[Message]) -> str:
        """The reply. Raises ModelError."""


class _Key(AuthBase):
    """Sends the key and nothing else: without it, requests would look into ~/.netrc."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(self._headers)
        return request


class _FailureError(Exception):
    def __init__(self, failure: ChatFailure) -> None:
        super().__init__(failure.text)
        self.failure = failure


class ChatModel:
    """A model behind ``/chat/completions``. Safe to use from several threads."""

    def __init__(self, config: EndpointConfig, say: Say) -> None:
        """Connects to nothing yet. ``say`` is told of waits, and of what is adapted."""
        self.config, self._say = config, say
        self._say_waiting = RepeatedMessages(say)
        newer = config.address.azure or _NEWER_NAME in config.address.chat
        self._tokens_name = _NEW if newer else _OLD
        self._renamed = False
        self._most_tokens = config.reply_tokens
        self._usage = Usage()
        self._told_of_cut = False
        self._lock = threading.Lock()
        self._sessions = threading.local()

    @property
    def usage(self) -> Usage:
        """What all replies so far took."""
        return self._usage

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's reply, as it is; empty where it says nothing.

        Raises:
            UnreachableError: the server gives no reply within the patience.
            RefusedError: it refuses the request.
        """
        spoken = [{"role": each.role, "content": _content(each)} for each in messages]
        patience = RetryPatience(
            self.config.waiting, self._say_waiting, self.config.address.declared
        )
        nonsense = 0
        while True:
            body = {"messages": spoken, **self._parameters()}
            try:
                return self._attempt(body)
            except _FailureError as error:
                failure = error.failure
            except NonsenseError as error:
                nonsense += 1
                failure = ChatFailure(Kind.PASSING, str(error))
                if nonsense >= NONSENSE:
                    raise UnreachableError(
                        f"{self.config.address.declared} does not answer as an OpenAI-compatible"
                        f" endpoint: {self.config.redact(str(error))}. Check --base-url."
                    ) from error
            if failure.kind is Kind.FILTERED:
                return ""
            if failure.kind is Kind.PASSING:
                patience.wait(self._describe(failure), failure.retry_after)
            elif not self._adapt(failure, body):
                raise self._explained(failure, tuple(body))

    def models(self) -> list[str]:
        """The names of the models that the server lists; empty where it lists none."""
        try:
            with closing(self._session().get(self._url("models"), timeout=_LIST_SECONDS)) as got:
                return [str(entry["id"]) for entry in json.loads(got.content)["data"]]
        except (requests.RequestException, ValueError, KeyError, TypeError, RecursionError):
            return []

    def _parameters(self) -> dict[str, Any]:
        config = self.config
        optional = {
            "temperature": config.temperature,
            "reasoning_effort": config.reasoning_effort or None,
            self._tokens_name: self._most_tokens,
        }
        given = {name: value for name, value in optional.items() if value is not None}
        return {"model": config.model, **given, "stream": False, **config.extra_body}

    def _attempt(self, body: Mapping[str, Any]) -> str:
        sent, seconds = tuple(body), self.config.waiting.timeout
        try:
            answer = self._session().post(
                self._url("chat"),
                data=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
                timeout=(min(_CONNECT_SECONDS, seconds), seconds),
                allow_redirects=False,
                stream=True,
            )
            with closing(answer):
                content = _read(answer, seconds)
        except requests.RequestException as error:
            kind = Kind.TRUST if _distrusts(error) else Kind.PASSING
            raise _FailureError(ChatFailure(kind, self._failed(error))) from error
        if answer.status_code != requests.codes.ok:
            raise _FailureError(classify(answer.status_code, answer.headers, content, sent))
        return self._reply(content, answer.headers, sent)

    def _reply(self, content: bytes, headers: Mapping[str, str], sent: tuple[str, ...]) -> str:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError) as error:
            start = content[:60].decode("utf-8", "replace")
            raise NonsenseError(f"the answer is no JSON; it begins {start!r}") from error
        problem = error_inside(document)
        if problem is not None:
            code = problem.get("code") if isinstance(problem, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            told = json.dumps({"error": problem}).encode()
            raise _FailureError(classify(status, headers, told, sent))
        completion = read_completion(document)
        with self._lock:
            self._usage += completion.usage
            told_of_cut, self._told_of_cut = self._told_of_cut, self._told_of_cut or completion.cut
        if completion.cut and not told_of_cut:
            self._say(
                f"  a reply was cut at {self._most_tokens or 'the most'} tokens: --reply-tokens"
                " gives the model more, or a smaller --batch less to say"
            )
        return completion.text

    def _adapt(self, failure: ChatFailure, sent: Mapping[str, Any]) -> bool:
        """Whether another request may do better: only what bounds the reply is ever changed."""
        name = failure.parameter
        if name not in (_OLD, _NEW) or name in self.config.extra_body:
            return False
        with self._lock:
            if self._tokens_name not in sent or self._most_tokens != sent[self._tokens_name]:
                # Another thread has adapted it in the meantime.
                return True
            found = _MOST.search(failure.text)
            most = int(next(filter(None, found.groups()))) if found else 0
            if _LEAST_REPLY <= most < (self._most_tokens or 0):
                self._most_tokens = most
                self._say(f"  the model's replies have {most} tokens at most; asking for no more")
                return True
            if self._renamed:
                return False
            self._tokens_name, self._renamed = _NEW if self._tokens_name == _OLD else _OLD, True
            return True

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._sessions, "session", None)
        if session is None:
            session = self._sessions.session = self._connect()
        return session

    def _connect(self) -> requests.Session:
        config, session = self.config, requests.Session()
        session.headers.update({"content-type": "application/json", **config.headers})
        name, scheme = ("api-key", "") if config.address.azure else ("authorization", "Bearer ")
        session.auth = _Key({name: scheme + config.key} if config.key else {})
        session.trust_env = not config.address.local
        session.verify = os.environ.get("SSL_CERT_FILE") or True
        if config.address.socket:
            session.mount("http+docker://", UnixHTTPAdapter(f"http+unix://{config.address.socket}"))
        return session

    def _url(self, which: str) -> str:
        url: str = getattr(self.config.address, which)
        return url.replace("http://", "http+docker://", 1) if self.config.address.socket else url

    def _failed(self, error: requests.RequestException) -> str:
        if isinstance(error, requests.Timeout):
            return f"no answer within {self.config.waiting.timeout:g} s (--timeout)"
        if isinstance(error, requests.ConnectionError):
            return f"the connection failed: {_innermost(error)}"
        return f"{type(error).__name__}: {error}"

    def _describe(self, failure: ChatFailure) -> str:
        status = f"HTTP {failure.status}: " if failure.status else ""
        return self.config.redact(f"{status}{failure.text}")

    def _explained(self, failure: ChatFailure, sent: tuple[str, ...]) -> ModelError:
        status = f" (HTTP {failure.status})" if failure.status else ""
        text = self.config.redact(failure.text + status)
        place, model = self.config.address.declared, self.config.model
        advice = {
            Kind.TOO_LONG: f"The request is longer than the model {model} can read. Give the server"
            " a longer context, or ask for less at once (--batch). It says:",
            Kind.KEY: "The server refuses the API key. Set HOUSEGUEST_API_KEY (or the variable"
            " that --api-key-env names) to a key that is good for this endpoint:",
            Kind.MODEL: f"The server has no model {model!r}.{self._nearest()} It says:",
            Kind.PATH: f"There is no chat endpoint at {place}; check --base-url. The server says:",
            Kind.TRUST: f"No safe connection to {place}: its certificate is not trusted, or it"
            " speaks no TLS (then --base-url begins with http:). SSL_CERT_FILE names a file with"
            " the authority to trust:",
            Kind.PAYMENT: "The account behind the API key cannot pay; top it up or raise its"
            " limit. The server says:",
            Kind.PARAMETER: f"The server does not take {failure.parameter!r} as it was given;"
            " change or leave out the option that sets it. The server says:",
        }
        words = advice.get(
            failure.kind, f"The server refuses the request (parameters: {', '.join(sent)}):"
        )
        return RefusedError(f"{words} {text}")

    def _nearest(self) -> str:
        listed = self.models()
        near = difflib.get_close_matches(self.config.model, listed, 3, 0.3) or listed[:5]
        return f" Did you mean {', '.join(near)}?" if near else ""


def _content(message: Message) -> str | list[dict[str, Any]]:
    if not message.pictures:
        return message.text
    urls = (
        f"data:{each.kind};base64,{base64.b64encode(each.data).decode()}"
        for each in message.pictures
    )
    shown = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": message.text}, *shown]


def _read(answer: requests.Response, seconds: float) -> bytes:
    """The whole body, as it comes: one that takes longer than that is given up, though its server
    may drip."""
    end, content = time.monotonic() + seconds, bytearray()
    try:
        while piece := answer.raw.read1(_PIECE, decode_content=True):
            content += piece
            if len(content) > MOST_BYTES:
                raise requests.ConnectionError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
            if time.monotonic() > end:
                raise requests.ReadTimeout("the answer came too slowly")
    except HTTPError as error:
        raise requests.ConnectionError(error) from error
    return bytes(content)


def _innermost(error: BaseException) -> str:
    """The cause at the bottom, in its own words."""
    cause: BaseException = error
    while (below := cause.__cause__ or cause.__context__) is not None:
        cause = below
    return f"{cause.strerror if isinstance(cause, OSError) and cause.strerror else cause}"


def _distrusts(error: BaseException) -> bool:
    """Whether a connection failed since TLS could not be agreed on: waiting changes nothing."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        if isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER":
            return True
        cause = cause.__cause__ or cause.__context__
    return False


# --- Waits between the attempts of one request

SAY_AGAIN = 30.0
"""Seconds between two lines about waits."""

Say = Callable[[str], None]
"""Tells the user a line."""


class RepeatedMessages:
    """Passes lines on, one in SAY_AGAIN seconds at most: requests side by side wait for the same.
    Safe to use from several threads."""

    def __init__(self, say: Say) -> None:
        self._say, self._lock = say, threading.Lock()
        self._said = float("-inf")

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        with self._lock:
            due = now - self._said >= SAY_AGAIN
            self._said = now if due else self._said
        if due:
            self._say(line)


class RetryPatience:
    """Bounds the repeats of one request, and says that it waits."""

    def __init__(self, waiting: Waiting, say: Say, place: str) -> None:
        """``place``: the server, as messages name it."""
        self._waiting, self._say, self._place = waiting, say, place
        self._next_wait = waiting.first
        self._failing_since: float | None = None

    def wait(self, problem: str, asked: float | None = None) -> None:
        """Waits before the next attempt; ``asked``: the seconds that the server asks for.

        Raises UnreachableError where the wait would outlast the patience.
        """
        now = time.monotonic()
        if self._failing_since is None:
            self._failing_since = now
        wait = asked or 0.0
        if not asked:
            # Asked for no wait at all, it takes the usual one: a server is not to be hammered.
            wait = self._next_wait * self._waiting.rng.uniform(0.5, 1.0)
            self._next_wait = min(2 * self._next_wait, self._waiting.longest)
        waited = now - self._failing_since
        left = self._waiting.patience - waited
        if asked is not None and asked > left:
            raise UnreachableError(
                f"The model's server at {self._place} asks to wait {asked:.0f} s, which is longer"
                f" than --patience {self._waiting.patience:g} allows: {problem}"
            )
        if left <= 0:
            raise UnreachableError(
                f"The model's server at {self._place} gave no reply for {waited:.0f} s"
                f" (--patience {self._waiting.patience:g}); the last failure: {problem}"
            )
        end = time.strftime("%H:%M:%S %Z", time.localtime(time.time() + left))
        self._say(
            f"  The model's server at {self._place} gives no reply: {problem.rstrip('.')}."
            f" It is asked again until {end} (--patience {self._waiting.patience:g});"
            " Ctrl-C stops waiting."
        )
        time.sleep(min(wait, left))


# --- What a model's server means when it does not answer as asked


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
class ChatFailure:
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
) -> ChatFailure:
    """Reads an answer other than a good one. ``sent`` are the parameters of the request."""
    text, named = _explain(body)
    text = text[:_LONGEST_READ]
    short = " ".join(text.split())[:LONGEST_TEXT] or f"HTTP status {status}"
    if 300 <= status < 400:
        # Not followed: a key would go along, to who knows whom.
        return ChatFailure(
            Kind.PATH, f"it is at {headers.get('location', 'another place')}", status
        )
    kind, parameter = _kind(status, text), ""
    if kind is Kind.OTHER:
        parameter = _parameter(text, named, sent)
        kind = Kind.PARAMETER if parameter else kind
    return ChatFailure(kind, short, status, parameter, _retry_after(headers))


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


# --- Why a model gives no reply. Every message is fit for a user


class ModelError(Exception):
    """The model gives no reply."""


class UnreachableError(ModelError):
    """Its server does not answer, or only with failures that pass; asking later may help."""


class RefusedError(ModelError):
    """Its server refuses the request; asking again would not help."""
