"""Downloads files over HTTP with retries; large downloads resume after an interruption."""

from __future__ import annotations

import http
import itertools
import re
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pooch
import requests

from env_service import __version__
from env_service.datasets.folder import PackDraft
from env_service.datasets.registry import UpstreamFile

OnBytes = Callable[[int, int | None], None]
"""Called with the bytes received so far, and the total if the server states it."""


def download(
    url: str, target: Path, *, patience: TransferPatience | None = None, on_bytes: OnBytes
) -> None:
    """Downloads a file to ``target``, which appears only when it is complete.

    Partial data stays next to ``target`` in a file whose name ends in ``.part``. The next call
    resumes it if the file upstream is unchanged. Attempts that received data do not count against
    ``patience``.

    Raises TransferError.
    """
    bounds = patience or TransferPatience()
    part, failures = PartialDownload(target), 0
    while (setback := _try(url, part, bounds, on_bytes)) is not None:
        failures = 1 if part.grew else failures + 1
        if setback.final:
            raise TransferError(setback.reason)
        if failures >= bounds.tries:
            raise TransferError(f"{setback.reason} ({failures} tries)")
        wait = max(bounds.wait * 2 ** (failures - 1), setback.wait)
        time.sleep(min(wait, LONGEST_WAIT))
    part.complete()


def text_of(url: str, *, patience: TransferPatience | None = None) -> str:
    """Downloads the text of a small file. Raises TransferError."""
    bounds = patience or TransferPatience()
    for number in range(1, bounds.tries + 1):
        try:
            with _ask(url, bounds, {}) as response:
                response.raise_for_status()
                return next(response.iter_content(CHUNK), b"").decode("utf-8", errors="replace")
        except requests.RequestException as error:
            setback = setback_of(error, url)
        if setback.final or number == bounds.tries:
            break
        time.sleep(min(max(bounds.wait * 2 ** (number - 1), setback.wait), LONGEST_WAIT))
    raise TransferError(setback.reason)


class PartialDownload:
    """A partial download, and the version of the file that it belongs to."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(target.name + ".part")
        self._version = target.with_name(target.name + ".version")
        self.grew = False
        """Whether the last attempt added bytes."""

    @property
    def size(self) -> int:
        """Bytes received so far."""
        return self._path.stat().st_size if self._path.exists() else 0

    def headers(self) -> dict[str, str]:
        """Request headers that ask for the rest, if the server still has the same version."""
        version = self._version.read_text(encoding="utf-8") if self._version.exists() else ""
        if not (self.size and version):
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": version}

    def take(self, response: requests.Response, on_bytes: OnBytes) -> Setback | None:
        """Writes the body of a response to disk.

        Raises the errors of requests, and TransferError if the disk cannot be written.
        """
        start = self.size if _continues(response, self.size) else 0
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdecimal() else None
        free = shutil.disk_usage(self._path.parent).free
        if total is not None and total - start > free:
            return Setback(
                f"{total - start:,} bytes are needed in {self._path.parent}, but {free:,} are free",
                final=True,
            )
        if not start:
            self._version.write_text(_version(response), encoding="utf-8")
        self._append(response, start, total, on_bytes)
        if total is not None and self.size != total:
            return Setback(f"received {self.size:,} bytes instead of {total:,}")
        return None

    def discard(self) -> None:
        """Deletes the partial download."""
        self._path.unlink(missing_ok=True)
        self._version.unlink(missing_ok=True)

    def complete(self) -> None:
        """Renames the complete file to its final name."""
        self._path.replace(self._target)
        self._version.unlink(missing_ok=True)

    def _append(
        self, response: requests.Response, start: int, total: int | None, on_bytes: OnBytes
    ) -> None:
        here = start
        with self._path.open("ab" if start else "wb") as file:
            for chunk in response.iter_content(CHUNK):
                try:
                    file.write(chunk)
                except OSError as error:
                    raise TransferError(f"{self._path}: {error.strerror}") from error
                here += len(chunk)
                self.grew = True
                on_bytes(here, total)


def _try(
    url: str, part: PartialDownload, patience: TransferPatience, on_bytes: OnBytes
) -> Setback | None:
    part.grew = False
    try:
        with _ask(url, patience, part.headers()) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                part.discard()
                return Setback("the server cannot continue the partial download")
            response.raise_for_status()
            return part.take(response, on_bytes)
    except requests.RequestException as error:
        return setback_of(error, url)


def _ask(url: str, patience: TransferPatience, headers: dict[str, str]) -> requests.Response:
    return requests.get(
        url,
        stream=True,
        timeout=(patience.connecting, patience.silence),
        headers={
            "User-Agent": f"houseguest/{__version__}",
            # No compression: the number of bytes then equals the file's size.
            "Accept-Encoding": "identity",
            **headers,
        },
    )


def _continues(response: requests.Response, size: int) -> bool:
    """Whether the response continues the file after its first ``size`` bytes."""
    said = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    partial = response.status_code == requests.codes.partial_content
    return bool(partial and said and int(said[1]) == size)


def _version(response: requests.Response) -> str:
    """The validator of this version of a file (RFC 9110, section 13.1.5): a strong ETag, or else
    the date; empty if the server sends neither."""
    tag = response.headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")


# --- Retries of a download when a connection or a server fails

CHUNK = 1 << 16
LONGEST_WAIT = 60.0
"""The longest wait in seconds, even if a server asks for more."""


class TransferError(Exception):
    """A download failed. The message gives the reason, but does not name the file."""


class StoppedError(Exception):
    """The transfer was cancelled."""


@dataclass(frozen=True, slots=True)
class TransferPatience:
    """How often to try, and how long to wait; times in seconds.

    The wait starts at ``wait`` and doubles after each attempt.
    """

    tries: int = 5
    wait: float = 0.5
    connecting: float = 10.0
    silence: float = 30.0
    """How long a server may send nothing."""


@dataclass(frozen=True, slots=True)
class Setback:
    """A failed attempt: its reason, and whether another attempt may succeed."""

    reason: str
    final: bool = False
    wait: float = 0.0
    """Seconds that the server asks clients to wait."""


class Transfer:
    """Downloads files, from any thread. ``stop`` cancels all of them."""

    def __init__(self, patience: TransferPatience, stop: Event) -> None:
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
        new_draft: Callable[[], AbstractContextManager[PackDraft]],
        keep: Callable[[PackDraft, UpstreamFile], None],
    ) -> None:
        """Downloads a file into a new draft, and keeps it if its size and SHA-256 are correct.

        Raises TransferError, and StoppedError if the transfer is cancelled.
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

    def _try(self, url: str, file: UpstreamFile, draft: PackDraft) -> Setback | None:
        try:
            self._download(url, _Intake(draft, file.size, self._stop), None)
        except requests.RequestException as error:
            return setback_of(error, url)
        except _TooLongError:
            return Setback(f"wrong bytes: more than {file.size:,}", final=True)
        if self._stop.is_set():
            raise StoppedError
        if draft.size < file.size:
            return Setback(f"received {draft.size:,} bytes instead of {file.size:,}")
        if draft.sha256 != file.sha256:
            return Setback(f"wrong bytes: their SHA-256 is {draft.sha256}", final=True)
        return None


class _TooLongError(Exception):
    """More bytes than the file has."""


class _Intake:
    """The file-like object that the downloader writes to. It accepts at most ``size`` bytes."""

    def __init__(self, draft: PackDraft, size: int, stop: Event) -> None:
        self._draft, self._size, self._stop = draft, size, stop

    def write(self, data: bytes) -> None:
        """Appends to the draft."""
        if self._stop.is_set():
            raise StoppedError
        if self._draft.size + len(data) > self._size:
            raise _TooLongError
        self._draft.write(data)

    def flush(self) -> None:
        """Does nothing: the downloader calls it after each chunk; closing the draft is enough."""


def setback_of(error: requests.RequestException, url: str) -> Setback:
    """Translates an error of an attempt."""
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
            return Setback(f"{host} stopped sending")
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
        f"{host} answered {status} {phrase}".rstrip(),
        final=not again,
        wait=float(asked) if asked.isdecimal() else 0.0,
    )


def _cause(error: BaseException) -> BaseException:
    """The first error in a chain of errors, raised by the system."""
    while error.__context__ is not None:
        error = error.__context__
    return error


def _words(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)
