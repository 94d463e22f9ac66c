"""HTTP requests to an endpoint and their answers, repeated if that may help.

Each answer is read completely, within limits of time and size.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from .address import Address
from .completion import NonsenseError, error_inside
from .config import EndpointConfig, Waiting
from .errors import UnreachableError
from .failures import Failure, Kind, classify
from .messages import Body

NONSENSE = 4
"""After so many answers in a row that are not chat completions, the server is of another kind."""
SILENT_SECONDS = 5.0
"""How long the first reply of a server may take without a notice."""
_LIST_SECONDS = 15.0


class FailureError(Exception):
    """An answer that a repeat of the request would not change."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


T = TypeVar("T")
Read = Callable[[Any, float], T]
"""Parses a JSON document, given the seconds from its request to its end; raises NonsenseError for
an unexpected document."""


Say = Callable[[str], None]
"""Shows a person one line."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The program that asks the model, as messages describe it.

    Attributes:
        log: Gets a line for each adaptation to the server.
        notify: Gets a line for each wait and its end.
        name: The program's name within a sentence: "the agent".
        deadline: The origin of a request's deadline, as in "until 12:00:00 (no longer than …)".
        blind_advice: A sentence with advice if the model accepts no pictures.
    """

    log: Say
    notify: Say
    name: str = "the client"
    deadline: str = "no longer than the caller waits"
    blind_advice: str = "Choose a vision model."


class Transport:
    """HTTP requests to one endpoint. Safe to use from several threads."""

    def __init__(self, config: EndpointConfig, caller: Caller) -> None:
        """Raises ClientError."""
        self._config, self._caller = config, caller
        self._has_replied = False
        headers = {"content-type": "application/json", **config.headers}
        if config.key:
            name, scheme = ("api-key", "") if config.address.azure else ("authorization", "Bearer ")
            headers[name] = scheme + config.key
        self._client = make_client(config.address, headers)

    def patience(self, deadline: float | None, slow: str = "") -> RetryWait:
        """The waits between the attempts of one request; the parameters are those of RetryWait."""
        config = self._config
        return RetryWait(config.waiting, deadline, self._caller, config.address.declared, slow)

    def refusal(self) -> str:
        """Why a connection fails, after one attempt; empty if it succeeds, or if the server is
        only slow."""
        try:
            fetch(self._client, "GET", self._config.address.models, seconds=_LIST_SECONDS)
        except httpx.ConnectError as error:
            return self._config.redact(explain(error, self._config.address))
        except httpx.HTTPError:
            return ""
        return ""

    def post(self, body: Body, sent: tuple[str, ...], patience: RetryWait, read: Read[T]) -> T:
        """Sends a body until it is answered, and parses the answer. ``sent`` holds the body's
        parameters, for messages about failures.

        Raises FailureError, and UnreachableError when the patience or the time is over.
        """
        nonsense = 0
        while True:
            started = time.monotonic()
            try:
                with self._first_reply(patience) as seconds:
                    answer = fetch(
                        self._client,
                        "POST",
                        self._config.address.chat,
                        seconds=seconds,
                        content=body,
                        headers={"content-length": str(body.length)},
                    )
                if answer.status == httpx.codes.OK:
                    result = read(self._document(answer, sent), time.monotonic() - started)
                    patience.recovered()
                    return result
                failure = classify(answer.status, answer.headers, answer.content, sent)
            except httpx.TimeoutException as error:
                seconds = round(time.monotonic() - started, 1)
                waited = f"{seconds:g} s"
                bound = " (--timeout)" if seconds >= self._config.waiting.timeout else ""
                what, slow = f"no answer within {waited}{bound}", True
                if isinstance(error, httpx.ConnectTimeout):
                    what, slow = f"no connection within {waited}", False
                failure = Failure(Kind.PASSING, what, slow=slow)
            except httpx.HTTPError as error:
                kind = Kind.TRUST if distrusts(error) else Kind.PASSING
                failure = Failure(kind, explain(error, self._config.address))
            except NonsenseError as error:
                nonsense += 1
                failure = Failure(Kind.PASSING, str(error))
                if nonsense >= NONSENSE:
                    raise UnreachableError(self._no_endpoint(error)) from error
            except FailureError as error:
                failure = error.failure
            if failure.kind is not Kind.PASSING:
                raise FailureError(failure)
            patience.wait(self._describe(failure), failure.retry_after, slow=failure.slow)

    @contextmanager
    def _first_reply(self, patience: RetryWait) -> Iterator[float]:
        """Yields the seconds for one attempt, and notifies the caller if the server's very first
        reply takes long. Raises UnreachableError if no time is left."""
        seconds = patience.timeout()
        if self._has_replied:
            yield seconds
            return
        timer = threading.Timer(SILENT_SECONDS, patience.silent, (seconds,))
        timer.daemon = True
        timer.start()
        try:
            yield seconds
            self._has_replied = True
        finally:
            timer.cancel()

    def models(self) -> list[str]:
        """The names of the models that the server lists; may be empty."""
        try:
            place = self._config.address.models
            answer = fetch(self._client, "GET", place, seconds=_LIST_SECONDS)
            entries = json.loads(answer.content)["data"]
            return [str(entry["id"]) for entry in entries]
        except (httpx.HTTPError, ValueError, KeyError, TypeError, RecursionError):
            return []

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _document(self, answer: Answer, sent: tuple[str, ...]) -> Any:
        try:
            document = json.loads(answer.content)
        except (ValueError, RecursionError) as error:
            start = answer.content[:60].decode("utf-8", "replace")
            raise NonsenseError(f"the answer is not JSON; it begins {start!r}") from error
        problem = error_inside(document)
        if problem is not None:
            code = problem.get("code") if isinstance(problem, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            body = json.dumps({"error": problem}).encode()
            raise FailureError(classify(status, answer.headers, body, sent))
        return document

    def _describe(self, failure: Failure) -> str:
        status = f"HTTP {failure.status}: " if failure.status else ""
        return self._config.redact(f"{status}{failure.text}")

    def _no_endpoint(self, error: NonsenseError) -> str:
        return self._config.redact(
            f"{self._config.address.declared} does not answer as an OpenAI-compatible endpoint:"
            f" {error}. Check --base-url."
        )


# --- The HTTP client of an endpoint: one complete answer, within limits of time and size

MOST_BYTES = 64 * 1024 * 1024
"""The largest answer that is read. The longest replies have a hundredth of that."""
_CONNECT_SECONDS = 20.0
# The caller decides how many requests run in parallel.
_LIMITS = httpx.Limits(max_connections=None)


class ClientError(ValueError):
    """The environment requires an impossible client: a wrong proxy, or file of certificates."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, decompressed."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def make_client(address: Address, headers: Mapping[str, str]) -> httpx.Client:
    """A client for a server. It uses the proxies that the environment names, unless the server is
    on this machine. Raises ClientError."""
    try:
        transport = None
        if address.local:
            transport = httpx.HTTPTransport(uds=address.socket or None, limits=_LIMITS)
        return httpx.Client(headers=dict(headers), transport=transport, limits=_LIMITS)
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        raise ClientError(
            f"cannot create an HTTP client: {error}. Check the variables HTTP_PROXY, HTTPS_PROXY,"
            " ALL_PROXY and SSL_CERT_FILE."
        ) from error


def fetch(client: httpx.Client, method: str, url: str, *, seconds: float, **request: Any) -> Answer:
    """Sends a request (``request`` as for httpx) and reads its answer to the end.

    ``seconds`` limits the whole body, not each piece: a server may send slowly. Raises
    httpx.HTTPError, including TimeoutException.
    """
    end = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
    with client.stream(method, url, timeout=timeout, **request) as response:
        late = threading.Event()
        timer = threading.Timer(max(0.0, end - time.monotonic()), _cut, (response, late))
        timer.daemon = True
        timer.start()
        try:
            content = _read(response)
        except httpx.TransportError as error:
            if late.is_set():
                raise httpx.ReadTimeout("the answer came too slowly") from error
            raise
        finally:
            timer.cancel()
        return Answer(response.status_code, response.headers, content)


def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise httpx.RemoteProtocolError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
    return bytes(content)


def _cut(response: httpx.Response, late: threading.Event) -> None:
    """Wakes the reading thread: the connection delivers nothing more."""
    late.set()
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if connection is not None:
        try:
            # SSLSocket's own method would end the encryption while the reader uses it.
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return


def explain(error: httpx.HTTPError, address: Address) -> str:
    """Why an exchange failed; for a failed connection, in plain words."""
    plain = f"{type(error).__name__}: {error}"
    if not isinstance(error, httpx.ConnectError):
        return plain
    why = _unreachable_socket if address.socket else _unreachable_machine
    return next(filter(None, (why(cause, address) for cause in _causes(error))), plain)


def _unreachable_machine(cause: BaseException, _address: Address) -> str:
    if isinstance(cause, ConnectionRefusedError):
        return "the connection is refused, so nothing listens there"
    if isinstance(cause, socket.gaierror):
        return f"the name of its machine cannot be resolved ({cause.strerror})"
    return ""


def _unreachable_socket(cause: BaseException, address: Address) -> str:
    if isinstance(cause, FileNotFoundError):
        return (
            f"the socket {address.socket} does not exist: either the server has not started, or"
            " its socket is in another folder"
        )
    if isinstance(cause, ConnectionRefusedError):
        return f"nothing listens on the socket {address.socket}: the server is not running"
    if isinstance(cause, PermissionError):
        return (
            f"user {os.geteuid()} may not connect to the socket {address.socket}: the server"
            " has to allow others to write to it, or to run as the same user"
        )
    return ""


def distrusts(error: BaseException) -> bool:
    """Whether TLS could not be negotiated, so that waiting changes nothing."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError)
        or (isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER")
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and those that led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


# --- Waits between the attempts of one request

_SAY_AGAIN = 30.0
"""Seconds between two notices about one wait."""


class RetryWait:
    """Limits the repeats of one request, and notifies the caller of waits."""

    def __init__(
        self, waiting: Waiting, deadline: float | None, caller: Caller, place: str, slow: str = ""
    ) -> None:
        """``deadline`` is on the clock of ``time.monotonic``; None for no deadline. ``place`` is
        the server, as messages name it. ``slow`` is advice to quote if the server works, but is
        too slow for the deadline."""
        self._waiting, self._deadline, self._caller = waiting, deadline, caller
        self._place, self._slow = place, slow
        self._next_wait = waiting.first
        self._begun = time.monotonic()
        self._failing_since: float | None = None
        self._said = float("-inf")
        self._last = ""

    def timeout(self) -> float:
        """Seconds for the next attempt. Raises UnreachableError if no time is left."""
        if self._deadline is None:
            return self._waiting.timeout
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise UnreachableError(self._too_late(slow=not self._last))
        return min(self._waiting.timeout, left)

    def wait(self, problem: str, asked: float | None = None, *, slow: bool = False) -> None:
        """Waits before the next attempt.

        ``asked`` is the number of seconds that the server asks for. ``slow``: the server accepted
        the request, but did not finish in time. Raises UnreachableError if the wait would exceed
        the patience or the deadline.
        """
        now = time.monotonic()
        self._last = problem
        if self._failing_since is None:
            self._failing_since = now
        wait = asked or 0.0
        if not asked:
            # A Retry-After of 0 gets the usual wait, to avoid hammering the server.
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
                f"The model's server at {self._place} gave no reply for {waited:.1f} s"
                f" (--patience {self._waiting.patience:g}); the last failure: {problem}"
            )
        if self._deadline is not None and now + wait >= self._deadline:
            raise UnreachableError(self._too_late(slow=slow))
        if now - self._said >= _SAY_AGAIN:
            self._said = now
            self._caller.notify(self._waiting_words(problem, now, left))
        time.sleep(min(wait, left))

    def silent(self, seconds: float) -> None:
        """Notifies the caller that the server has not replied so far.

        ``seconds`` is the limit of the attempt that began SILENT_SECONDS ago.
        """
        self._said = time.monotonic()
        bound = f"--timeout {self._waiting.timeout:g}"
        if seconds < self._waiting.timeout:
            bound = self._caller.deadline
        left = max(0.0, seconds - SILENT_SECONDS)
        self._caller.notify(
            f"The model's server at {self._place} has not replied for {SILENT_SECONDS:g} s; it may"
            f" be loading the model. {self._name} waits until {_clock(left)} ({left:.0f} s;"
            f" {bound})."
        )

    def recovered(self) -> None:
        """Reports that the server answers again, if a notice reported a wait."""
        if self._said > float("-inf"):
            again = "" if self._failing_since is None else " again"
            self._caller.notify(f"The model's server at {self._place} answers{again}.")
        self._said = float("-inf")

    def _waiting_words(self, problem: str, now: float, left: float) -> str:
        bound = f"--patience {self._waiting.patience:g}"
        if self._deadline is not None and self._deadline - now < left:
            left, bound = self._deadline - now, self._caller.deadline
        return (
            f"The model's server at {self._place} does not reply: {problem.rstrip('.')}."
            f" {self._name} tries again until {_clock(left)} ({left:.0f} s; {bound})."
        )

    @property
    def _name(self) -> str:
        """The caller, at the start of a sentence."""
        return self._caller.name[:1].upper() + self._caller.name[1:]

    def _too_late(self, *, slow: bool) -> str:
        last = f"; the last failure: {self._last.rstrip('.')}" if self._last else ""
        seconds = time.monotonic() - self._begun
        advice = f" {self._slow}" if slow and self._slow else ""
        return (
            f"The model's server at {self._place} gave no reply within {seconds:.0f} s, and"
            f" {self._caller.name} can wait no longer{last}. Check that the server runs.{advice}"
        )


def _clock(seconds: float) -> str:
    """The time of day in so many seconds."""
    return time.strftime("%H:%M:%S %Z", time.localtime(time.time() + seconds))
