"""Downloads the missing, modified and corrupt files of a pack, a few at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread
from urllib.parse import quote, urlsplit

from env_service.datasets.download import Transfer, TransferError, TransferPatience
from env_service.datasets.errors import MirrorError
from env_service.datasets.folder import PackFolder, PackWriter
from env_service.datasets.registry import PackDefinition, UpstreamFile

UPSTREAM = "https://raw.githubusercontent.com"
AT_ONCE = 4
MOST_FAILURES = 8
"""Number of failed files after which the remaining ones are not tried."""
PARTING = 1.0
"""Seconds that transfers get to end after their cancellation."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch. ``mirror`` is a base address from ``check_mirror``, or empty for upstream."""

    mirror: str = ""
    patience: TransferPatience = field(default_factory=TransferPatience)


@dataclass(frozen=True, slots=True)
class FetchReport:
    """The result of a fetch: files downloaded, failures with their reasons, files not tried."""

    fetched: int
    failed: Mapping[str, str]
    untried: int


def check_mirror(mirror: str) -> str:
    """Checks a mirror's base address and returns it without a trailing slash; empty stays empty.

    Raises MirrorError if it is not the address of a web server, or if it contains a user or a
    password: other users can see the command line, but not ``~/.netrc``.
    """
    base = mirror.rstrip("/")
    try:
        parts = urlsplit(base)
    except ValueError as error:
        raise MirrorError(f"invalid mirror {mirror!r}: {error}.") from error
    if parts.username or parts.password:
        raise MirrorError("put a mirror's user and password in ~/.netrc, not in its address.")
    if base and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise MirrorError(
            f"invalid mirror {mirror!r}: give an address such as https://mirror.example.org/data"
            " that serves files as REPOSITORY/COMMIT/PATH."
        )
    return base


def url_of(definition: PackDefinition, path: str, mirror: str = "") -> str:
    """The address of one of a pack's files."""
    base = mirror or UPSTREAM
    return f"{base}/{definition.repository}/{definition.commit}/{quote(path)}"


def fetch(
    folder: PackFolder, options: FetchOptions, on_file: Callable[[], None] = lambda: None
) -> FetchReport:
    """Downloads each file that is missing or differs from upstream; calls ``on_file`` after each.

    A file is put in place once its size and SHA-256 are correct. If a fetch ends early, by an
    exception or a kill, these files stay and the next fetch continues.

    Raises DataPackBusyError and DataFolderError.
    """
    failed: dict[str, str] = {}
    with folder.writing() as writer:
        wanted = writer.survey.wanting()
        folder.check_room(sum(file.size for file in wanted))
        with closing(_transfers(writer, wanted, options)) as transfers:
            for file, error in transfers:
                if error is not None:
                    failed[file.path] = str(error)
                on_file()
                if len(failed) >= MOST_FAILURES:
                    break
    return FetchReport(writer.placed, failed, len(wanted) - writer.placed - len(failed))


def _transfers(
    writer: PackWriter, wanted: Sequence[UpstreamFile], options: FetchOptions
) -> Generator[tuple[UpstreamFile, TransferError | None]]:
    """Yields each file once it is in place, or with the reason for its failure.

    Raises any other error of a transfer. The threads are daemons, so that a silent server cannot
    keep the program from exiting.
    """
    stop = Event()
    transfer = Transfer(options.patience, stop)
    waiting: SimpleQueue[UpstreamFile | None] = SimpleQueue()
    done: SimpleQueue[tuple[UpstreamFile, Exception | None]] = SimpleQueue()

    def work() -> None:
        while (file := waiting.get()) is not None and not stop.is_set():
            url = url_of(writer.survey.definition, file.path, options.mirror)
            try:
                transfer.get(url, file, writer.draft, writer.place)
            except Exception as error:  # noqa: BLE001 - raised again in the waiting thread
                done.put((file, error))
            else:
                done.put((file, None))

    for each in (*wanted, *[None] * AT_ONCE):
        waiting.put(each)
    threads = [Thread(target=work, daemon=True) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    try:
        for _ in wanted:
            file, error = done.get()
            if error is not None and not isinstance(error, TransferError):
                raise error
            yield file, error
    finally:
        stop.set()
        deadline = time.monotonic() + PARTING
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
