"""Downloads the missing and wrong files of a pack, a few at a time."""

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
"""Failed files after which the others are not tried."""
PARTING = 1.0
"""Seconds that a transfer has to notice its cancellation."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """``mirror`` is a base address, as ``check_mirror`` returns it, or empty for upstream."""

    mirror: str = ""
    patience: TransferPatience = field(default_factory=TransferPatience)


@dataclass(frozen=True, slots=True)
class FetchReport:
    """The result of a fetch: files downloaded, failures with their reasons, files not tried."""

    fetched: int
    failed: Mapping[str, str]
    untried: int


def check_mirror(mirror: str) -> str:
    """A mirror's base address without a slash at its end; empty stays empty.

    Raises MirrorError for what is no address of a web server, and for one with a password:
    commands are seen by others, ``~/.netrc`` is not.
    """
    base = mirror.rstrip("/")
    try:
        parts = urlsplit(base)
    except ValueError as error:
        raise MirrorError(f"{mirror!r} is no mirror: {error}.") from error
    if parts.username or parts.password:
        raise MirrorError("a mirror's user and password belong into ~/.netrc, not its address.")
    if base and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise MirrorError(
            f"{mirror!r} is no mirror: an address such as https://mirror.example.org/data is"
            " needed, below which lies REPOSITORY/COMMIT/PATH."
        )
    return base


def url_of(definition: PackDefinition, path: str, mirror: str = "") -> str:
    """The address of one of a pack's files."""
    base = mirror or UPSTREAM
    return f"{base}/{definition.repository}/{definition.commit}/{quote(path)}"


def fetch(
    folder: PackFolder, options: FetchOptions, on_file: Callable[[], None] = lambda: None
) -> FetchReport:
    """Downloads each file that is not there as upstream has it; ``on_file`` after each.

    It puts a file in place once its bytes are right. However a fetch ends, by an exception or a
    kill, those files stay, and the next fetch continues.

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
    """Yields each file once it is in place, or with the reason why it failed.

    Raises whatever else goes wrong with one. The threads are daemons: a server that is silent
    must not keep a user who wants to leave.
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
            except Exception as error:  # noqa: BLE001 - raised again where it is waited for
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
