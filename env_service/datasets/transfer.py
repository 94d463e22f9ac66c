"""One file over HTTP, with patience for links and servers that fail for a while."""

from __future__ import annotations

import http
import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event
from urllib.parse import urlsplit

import pooch
import requests

from env_service import __version__
from env_service.datasets.folder import Draft
from env_service.datasets.registry import UpstreamFile

CHUNK = 1 << 16
LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for any longer."""


class TransferError(Exception):
    """A file could not be had. The message says why, without naming the file."""


class StoppedError(Exception):
    """The transfer was called off."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try; times in seconds. The wait doubles after each try, from ``wait``."""

    tries: int = 5
    wait: float = 0.5
    connecting: float = 10.0
    silence: float = 30.0
    """The longest that a server may send nothing."""


@dataclass(frozen=True, slots=True)
class Setback:
    """A try that came to nothing: why, and whether another one may do better."""

    reason: str
    final: bool = False
    wait: float = 0.0
    """Seconds that the server asks for."""


class Transfer:
    """Gets files; any thread may. ``stop`` calls every one of them off."""

    def __init__(self, patience: Patience, stop: Event) -> None:
        self._patience, self._stop = patience, stop
        self._download = pooch.HTTPDownloader(
            chunk_size=CHUNK,
            timeout=(patience.connecting, patience.silence),
            headers={"User-Agent": f"houseguest/{__version__}"},
        )

    def get(
        self,
        url: str,
        file: UpstreamFile,
        new_draft: Callable[[], AbstractContextManager[Draft]],
        keep: Callable[[Draft, UpstreamFile], None],
    ) -> None:
        """Gets a file into a new draft, and keeps it if its bytes are right.

        Raises TransferError, and StoppedError.
        """
        for number in itertools.count(1):
            with new_draft() as draft:
                setback = self._try(url, file, draft)
                if setback is None:
                    keep(draft, file)
                    return
            if setback.final:
                raise TransferError(setback.reason)
            if number >= self._patience.tries:
                raise TransferError(f"{setback.reason} ({number} tries)")
            wait = max(self._patience.wait * 2 ** (number - 1), setback.wait)
            if self._stop.wait(min(wait, LONGEST_WAIT)):
                raise StoppedError

    def _try(self, url: str, file: UpstreamFile, draft: Draft) -> Setback | None:
        try:
            self._download(url, _Intake(draft, file.size, self._stop), None)
        except requests.RequestException as error:
            return setback_of(error, url)
        except _TooLongError:
            return Setback(f"wrong bytes: more than {file.size:,}", final=True)
        if self._stop.is_set():
            raise StoppedError
        if draft.size < file.size:
            return Setback(f"{draft.size:,} bytes came instead of {file.size:,}")
        if draft.sha256 != file.sha256:
            return Setback(f"wrong bytes: their SHA-256 is {draft.sha256}", final=True)
        return None


class _TooLongError(Exception):
    """More bytes than the file has."""


class _Intake:
    """What the downloader writes to: takes no more than is wanted."""

    def __init__(self, draft: Draft, size: int, stop: Event) -> None:
        self._draft, self._size, self._stop = draft, size, stop

    def write(self, data: bytes) -> None:
        """Appends to the draft."""
        if self._stop.is_set():
            raise StoppedError
        if self._draft.size + len(data) > self._size:
            raise _TooLongError
        self._draft.write(data)

    def flush(self) -> None:
        """The downloader asks for it after each chunk; closing the draft is soon enough."""


def setback_of(error: requests.RequestException, url: str) -> Setback:
    """What an error of a try means."""
    host, cause = urlsplit(url).netloc, _cause(error)
    match error:
        case requests.HTTPError(response=requests.Response() as response):
            return _answer(host, response)
        case requests.exceptions.SSLError():
            return Setback(f"no trusted connection to {host}: {_words(cause)}", final=True)
        case requests.ConnectTimeout():
            return Setback(f"{host} does not answer")
        case requests.exceptions.ChunkedEncodingError():
            return Setback(f"the connection to {host} broke off")
        case requests.ConnectionError() | requests.Timeout() if isinstance(cause, TimeoutError):
            return Setback(f"{host} fell silent")
        case requests.ConnectionError():
            return Setback(f"no connection to {host}: {_words(cause)}")
        case _:
            return Setback(f"{host}: {error}", final=True)


def _answer(host: str, response: requests.Response) -> Setback:
    status = response.status_code
    phrase = next((each.phrase for each in http.HTTPStatus if each == status), "")
    again = status in (408, 425, 429) or status >= 500
    asked = response.headers.get("Retry-After", "")
    return Setback(
        f"{host} answers {status} {phrase}".rstrip(),
        final=not again,
        wait=float(asked) if asked.isdecimal() else 0.0,
    )


def _cause(error: BaseException) -> BaseException:
    """The error at the bottom of an error: the system's own."""
    while error.__context__ is not None:
        error = error.__context__
    return error


def _words(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)
