"""Taking a pack from a copy that the user has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from env_service.datasets.errors import ImportSourceError
from env_service.datasets.folder import Draft, PackFolder, PackWriter
from env_service.datasets.registry import UpstreamFile
from env_service.datasets.source import Source
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

    A file that is there as upstream has it stays. Each file is put in place whole or not at
    all; after an interruption, importing again goes on.

    Raises ImportSourceError where a file cannot be read, DataPackBusyError, DataFolderError.
    """
    modified, kept = [], 0
    with folder.writing() as writer:
        states = writer.survey.states
        wanted = [each for each in source.files if states[each.path] is not FileState.INTACT]
        folder.check_room(sum(file.size for file in wanted))
        for file in source.files:
            if states[file.path] is FileState.INTACT:
                kept += 1
            elif _copy(source.folder / file.path, file, writer) != file.sha256:
                modified.append(file.path)
            on_file()
    return ImportReport(len(source.files) - kept, kept, tuple(modified))


def _copy(origin: Path, file: UpstreamFile, writer: PackWriter) -> str:
    """Copies one file and returns its SHA-256."""
    with writer.draft() as draft:
        try:
            _pour(origin, draft)
        except OSError as error:
            raise ImportSourceError(f"{origin} cannot be read: {error.strerror}.") from error
        writer.place(draft, file)
        return draft.sha256


def _pour(origin: Path, draft: Draft) -> None:
    with origin.open("rb") as stream:
        while data := stream.read(CHUNK):
            draft.write(data)
