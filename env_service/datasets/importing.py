"""Taking a pack from a copy that the user has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from env_service.datasets.errors import ImportSourceError
from env_service.datasets.folder import PackFolder, PackWriter
from env_service.datasets.registry import UpstreamFile
from env_service.datasets.source import UNREADABLE, Source
from env_service.datasets.survey import FileState

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportReport:
    """``copied`` files were put in place, ``kept`` ones were there, as upstream has them.

    ``modified``: those of ``copied`` whose bytes are not upstream's.
    """

    copied: int
    kept: int
    modified: tuple[str, ...]


def import_source(
    folder: PackFolder, source: Source, on_file: Callable[[], None] = lambda: None
) -> ImportReport:
    """Copies the files of a source into a pack's folder; ``on_file`` is called after each.

    A file that is there as upstream has it stays, and so does one of the archive that has the same
    bytes. Each file is put in place whole or not at all; after an interruption, importing again
    goes on.

    Raises ImportSourceError where a file cannot be read, DataPackBusyError, DataFolderError.
    """
    modified, kept = [], 0
    with folder.writing() as writer, _opened(source) as opener:
        intact = frozenset(writer.survey.paths(FileState.INTACT))
        folder.check_room(sum(file.size for file in source.files if file.path not in intact))
        for file in source.files:
            if file.path in intact and (file.pinned or _is_held(file, opener, writer)):
                kept += 1
            elif _copy(file, opener, writer) != file.sha256 and file.pinned:
                modified.append(file.path)
            on_file()
    return ImportReport(len(source.files) - kept, kept, tuple(modified))


@dataclass(frozen=True, slots=True)
class _Opener:
    """Opens files of a source, and says which could not be read."""

    place: Path
    open: Callable[[str], IO[bytes]]

    def pour(self, path: str, into: Callable[[bytes], object]) -> None:
        """Hands all bytes of a file on. Raises ImportSourceError; what ``into`` raises goes
        through."""
        try:
            stream = self.open(path)
        except UNREADABLE as error:
            raise self._unreadable(path, error) from error
        with stream:
            while data := self._read(stream, path):
                into(data)

    def _read(self, stream: IO[bytes], path: str) -> bytes:
        try:
            return stream.read(CHUNK)
        except UNREADABLE as error:
            raise self._unreadable(path, error) from error

    def _unreadable(self, path: str, error: Exception) -> ImportSourceError:
        why = getattr(error, "strerror", None) or error
        return ImportSourceError(f"{self.place / path} cannot be read: {why}.")


@contextmanager
def _opened(source: Source) -> Iterator[_Opener]:
    with ExitStack() as stack:
        try:
            open_file = stack.enter_context(source.reading())
        except UNREADABLE as error:
            raise ImportSourceError(f"{source.place} cannot be read: {error}.") from error
        yield _Opener(source.place, open_file)


def _is_held(file: UpstreamFile, opener: _Opener, writer: PackWriter) -> bool:
    """Whether a file of the archive is here with the bytes that the source has."""
    known = writer.survey.held[file.path]
    if file.size != known.size:
        return False
    sha256 = hashlib.sha256()
    opener.pour(file.path, sha256.update)
    return sha256.hexdigest() == known.sha256


def _copy(file: UpstreamFile, opener: _Opener, writer: PackWriter) -> str:
    """Copies one file and returns its SHA-256."""
    with writer.draft() as draft:
        opener.pour(file.path, draft.write)
        writer.place(draft, file)
        return draft.sha256
