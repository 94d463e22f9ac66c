"""One request and its answer over HTTP, repeated where that may help."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from ..model import UnreachableError
from ..notices import Log
from .body import Body
from .config import EndpointConfig
from .failures import Failure, Kind, classify
from .fetching import Answer, distrusts, explain, fetch, make_client
from .replies import NonsenseError, error_inside
from .waiting import Patience

NONSENSE = 4
"""Answers in a row that are no chat completion, after which a server is taken for another kind."""
_LIST_SECONDS = 15.0


class FailureError(Exception):
    """An answer that repeating the request would not change."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


T = TypeVar("T")
Read = Callable[[Any, float], T]
"""Makes something of a JSON document and the seconds from its request to its end; raises
NonsenseError for a document that is not what it should be."""


class Exchange:
    """An HTTP client for one endpoint. Safe to use from several threads."""

    def __init__(self, config: EndpointConfig, log: Log) -> None:
        """Raises ClientError."""
        self._config, self._log = config, log
        headers = {"content-type": "application/json", **config.headers}
        if config.key:
            name, scheme = ("api-key", "") if config.address.azure else ("authorization", "Bearer ")
            headers[name] = scheme + config.key
        self._client = make_client(config.address, headers)

    def patience(self, deadline: float | None, slow: str = "") -> Patience:
        """For the attempts of one request; the parameters are those of Patience."""
        config = self._config
        return Patience(config.waiting, deadline, self._log, config.address.declared, slow)

    def refusal(self) -> str:
        """Why no connection can be made, after one attempt; empty where one was made, or
        where the server only takes its time."""
        try:
            fetch(self._client, "GET", self._config.address.models, seconds=_LIST_SECONDS)
        except httpx.ConnectError as error:
            return self._config.redact(explain(error, self._config.address))
        except httpx.HTTPError:
            return ""
        return ""

    def post(self, body: Body, sent: tuple[str, ...], patience: Patience, read: Read[T]) -> T:
        """Sends a body until it is answered, and reads the answer. ``sent`` are the body's
        parameters, for failures to name.

        Raises FailureError, and UnreachableError when the patience or the time is over.
        """
        nonsense = 0
        while True:
            started = time.monotonic()
            try:
                answer = fetch(
                    self._client,
                    "POST",
                    self._config.address.chat,
                    seconds=patience.timeout(),
                    content=body,
                    headers={"content-length": str(body.length)},
                )
                if answer.status == httpx.codes.OK:
                    result = read(self._document(answer, sent), time.monotonic() - started)
                    patience.recovered()
                    return result
                failure = classify(answer.status, answer.headers, answer.content, sent)
            except httpx.TimeoutException as error:
                waited = f"{round(time.monotonic() - started, 1):g} s"
                what, slow = f"no answer within {waited}", True
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

    def models(self) -> list[str]:
        """The names of the models that the server lists; empty where it lists none."""
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
            raise NonsenseError(f"the answer is no JSON; it begins {start!r}") from error
        problem = error_inside(document)
        if problem is not None:
            code = problem.get("code") if isinstance(problem, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            told = json.dumps({"error": problem}).encode()
            raise FailureError(classify(status, answer.headers, told, sent))
        return document

    def _describe(self, failure: Failure) -> str:
        status = f"HTTP {failure.status}: " if failure.status else ""
        return self._config.redact(f"{status}{failure.text}")

    def _no_endpoint(self, error: NonsenseError) -> str:
        return self._config.redact(
            f"{self._config.address.declared} does not answer as an OpenAI-compatible endpoint:"
            f" {error}. Check --base-url."
        )
