"""One large file over HTTP, on disk at every moment: what broke off goes on where it was."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import requests

from env_service import __version__
from env_service.datasets.transfer import (
    CHUNK,
    LONGEST_WAIT,
    Patience,
    Setback,
    TransferError,
    setback_of,
)

Told = Callable[[int, int | None], None]
"""Is told how many bytes are here, and of how many in all, where the server says so."""


def download(url: str, target: Path, *, patience: Patience | None = None, told: Told) -> None:
    """Gets a file to ``target``, whole or not at all.

    What came so far lies in ``target`` with ``.part`` behind it, however this ends, and the next
    call goes on from there if the file upstream is still the same one. Tries that got on do not
    count against ``patience``.

    Raises TransferError.
    """
    bounds = patience or Patience()
    part, failures = Part(target), 0
    while (setback := _try(url, part, bounds, told)) is not None:
        failures = 1 if part.grew else failures + 1
        if setback.final:
            raise TransferError(setback.reason)
        if failures >= bounds.tries:
            raise TransferError(f"{setback.reason} ({failures} tries)")
        wait = max(bounds.wait * 2 ** (failures - 1), setback.wait)
        time.sleep(min(wait, LONGEST_WAIT))
    part.complete()


def text_of(url: str, *, patience: Patience | None = None) -> str:
    """A small text file. Raises TransferError."""
    bounds = patience or Patience()
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


class Part:
    """What is here of a file that is being downloaded, and which version of it that is."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(target.name + ".part")
        self._version = target.with_name(target.name + ".version")
        self.grew = False
        """Whether the last try added to it."""

    @property
    def size(self) -> int:
        """Bytes that are here."""
        return self._path.stat().st_size if self._path.exists() else 0

    def headers(self) -> dict[str, str]:
        """What asks a server for the rest, if it still has the same version."""
        version = self._version.read_text(encoding="utf-8") if self._version.exists() else ""
        if not (self.size and version):
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": version}

    def take(self, response: requests.Response, told: Told) -> Setback | None:
        """Writes what a server sends. Raises requests' errors, and TransferError where the disk
        does not take it."""
        start = self.size if _continues(response, self.size) else 0
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdecimal() else None
        free = shutil.disk_usage(self._path.parent).free
        if total is not None and total - start > free:
            return Setback(
                f"{total - start:,} bytes are needed in {self._path.parent} and {free:,} are free",
                final=True,
            )
        if not start:
            self._version.write_text(_version(response), encoding="utf-8")
        self._append(response, start, total, told)
        if total is not None and self.size != total:
            return Setback(f"{self.size:,} bytes came instead of {total:,}")
        return None

    def discard(self) -> None:
        """Forgets what is here."""
        self._path.unlink(missing_ok=True)
        self._version.unlink(missing_ok=True)

    def complete(self) -> None:
        """The file is whole: it gets its name."""
        self._path.replace(self._target)
        self._version.unlink(missing_ok=True)

    def _append(
        self, response: requests.Response, start: int, total: int | None, told: Told
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
                told(here, total)


def _try(url: str, part: Part, patience: Patience, told: Told) -> Setback | None:
    part.grew = False
    try:
        with _ask(url, patience, part.headers()) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                part.discard()
                return Setback("the server has no more of the file than is here, and no other")
            response.raise_for_status()
            return part.take(response, told)
    except requests.RequestException as error:
        return setback_of(error, url)


def _ask(url: str, patience: Patience, headers: dict[str, str]) -> requests.Response:
    return requests.get(
        url,
        stream=True,
        timeout=(patience.connecting, patience.silence),
        headers={
            "User-Agent": f"houseguest/{__version__}",
            # The bytes as they are: their number is that of the file.
            "Accept-Encoding": "identity",
            **headers,
        },
    )


def _continues(response: requests.Response, size: int) -> bool:
    """Whether the answer is the rest of a file of which so many bytes are here."""
    said = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    partial = response.status_code == requests.codes.partial_content
    return bool(partial and said and int(said[1]) == size)


def _version(response: requests.Response) -> str:
    """What tells this version of a file from others, as RFC 9110, section 13.1.5 has it: a strong
    ETag, or the date; empty where the server tells neither."""
    tag = response.headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
