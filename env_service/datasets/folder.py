"""The folder of one pack, in upstream's layout, and a check of all its files."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from env_service.datasets.errors import (
    DataFolderError,
    DataPackBusyError,
    DataPackCorruptError,
    keeping,
)
from env_service.datasets.registry import PackDefinition, UpstreamFile
from env_service.datasets.survey import (
    FileState,
    Held,
    PackSurvey,
    read_receipt,
    survey,
    with_archive,
    write_receipt,
)
from env_service.storage.file_lock import FileLock, LockedError

DRAFTS = ".drafts"
LOCK = ".lock"


def data_root() -> Path:
    """The folder of all packs: ``HOUSEGUEST_DATA``, or ``houseguest`` in the user's cache folder.

    Raises DataFolderError if the user has no home folder.
    """
    cache = platformdirs.user_cache_dir("houseguest", appauthor=False)
    chosen = os.environ.get("HOUSEGUEST_DATA") or cache
    try:
        return Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise DataFolderError(
            f"{chosen}: no such home folder. Set HOUSEGUEST_DATA to a folder for data packs."
        ) from error


class PackFolder:
    """The folder of one pack, ``ROOT/NAME/first 12 digits of the commit``; it need not exist.

    Each commit of a pack has a separate folder.
    """

    def __init__(self, definition: PackDefinition, root: Path | None = None) -> None:
        self.definition = definition
        self.root = root or data_root()
        self.path = self.root / definition.name / definition.commit[:12]

    def receipt(self) -> dict[str, Held]:
        """The files that the receipt lists. Raises DataPackCorruptError."""
        return read_receipt(self.path, self.definition)

    def survey(
        self, *, rehash: bool = False, on_file: Callable[[], None] = lambda: None
    ) -> PackSurvey:
        """The current state of the files. Raises DataPackCorruptError for a damaged receipt."""
        receipt = self.receipt()
        known = with_archive(self.definition, receipt)
        return survey(self.path, known, receipt, rehash=rehash, on_file=on_file)

    def count(self) -> int:
        """The number of files that a survey looks at: the pack's, and the imported files of its
        archive if the receipt is readable."""
        with suppress(DataPackCorruptError):
            return len(with_archive(self.definition, self.receipt()).files)
        return len(self.definition.files)

    def check_room(self, size: int) -> None:
        """Raises DataFolderError if the disk has less than ``size`` bytes free."""
        place = next(place for place in (self.path, *self.path.parents) if place.exists())
        free = shutil.disk_usage(place).free
        if free < size:
            raise DataFolderError(
                f"{self.path}: {size:,} bytes are needed, but {free:,} are free. Free some space,"
                " or set HOUSEGUEST_DATA to another folder."
            )

    @contextmanager
    def writing(self) -> Iterator[PackWriter]:
        """Locks the folder for writing files, and writes the receipt at the end.

        A damaged receipt is replaced by one that lists the files that match upstream.

        Raises DataPackBusyError if another process is writing the pack, and DataFolderError if the
        folder cannot be written.
        """
        with keeping(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = self._locked()
        try:
            with keeping(self.path):
                writer = PackWriter(self.path, self._survey_anyway())
            try:
                yield writer
            finally:
                with keeping(self.path):
                    writer.close()
        finally:
            lock.release()

    def refresh(self) -> None:
        """Updates the receipt for files that were touched, if it can be written."""
        with suppress(DataPackBusyError, DataFolderError), self.writing():
            pass

    def _survey_anyway(self) -> PackSurvey:
        try:
            return self.survey()
        except DataPackCorruptError:
            return survey(self.path, self.definition, {})

    def _locked(self) -> FileLock:
        try:
            return FileLock(self.path / LOCK)
        except LockedError as error:
            raise DataPackBusyError(
                f"{self.path} is being written by process {error.holder}. Wait for it or stop it."
            ) from None


class PackWriter:
    """Puts files into a pack's folder. It is thread-safe; ``PackFolder.writing`` creates it."""

    def __init__(self, path: Path, survey: PackSurvey) -> None:
        self.survey = survey
        """The state of the files at the start."""
        self.placed = 0
        """Number of files put in place since."""
        self._path = path
        self._definition = survey.definition
        self._held = dict(survey.held)
        self._threads = threading.Lock()
        self._drafts = path / DRAFTS
        # Left over from a killed process.
        shutil.rmtree(self._drafts, ignore_errors=True)
        self._drafts.mkdir()

    @contextmanager
    def draft(self) -> Iterator[PackDraft]:
        """Creates a new file, and removes it at the end unless ``place`` was called with it."""
        with keeping(self._path):
            draft = PackDraft(self._drafts / secrets.token_hex(8))
        try:
            yield draft
        finally:
            draft.discard()

    def place(self, draft: PackDraft, file: UpstreamFile) -> None:
        """Moves a complete draft to the file's place, atomically. Raises DataFolderError."""
        target = self._path / file.path
        with keeping(self._path):
            draft.close()
            found = draft.path.stat()
            target.parent.mkdir(parents=True, exist_ok=True)
            draft.path.replace(target)
        with self._threads:
            self._held[file.path] = Held(found.st_size, found.st_mtime_ns, draft.sha256)
            self.placed += 1

    def close(self) -> None:
        """Writes the receipt. Raises OSError."""
        shutil.rmtree(self._drafts, ignore_errors=True)
        with self._threads:
            write_receipt(self._path, self._definition, dict(sorted(self._held.items())))


class PackDraft:
    """A new file, with its size and SHA-256 so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._hash = hashlib.sha256()
        self._file = path.open("xb")

    @property
    def sha256(self) -> str:
        """The digest so far, in hex."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> None:
        """Appends bytes. Raises DataFolderError if the disk cannot be written."""
        with keeping(self.path.parent):
            self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def close(self) -> None:
        """Ends writing. Idempotent. Raises DataFolderError."""
        with keeping(self.path.parent):
            self._file.close()

    def discard(self) -> None:
        """Ends writing and removes the file if it still exists."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self.path.unlink()


# --- Checking all files of a pack


@dataclass(frozen=True, slots=True)
class PackCheck:
    """The state of a pack's files by their contents.

    ``receipt_problem`` says what is wrong with the receipt; it is empty if nothing is.
    """

    folder: PackFolder
    survey: PackSurvey
    receipt_problem: str

    @property
    def corrupt(self) -> tuple[str, ...]:
        """Files that match neither upstream nor an imported modification."""
        return self.survey.paths(FileState.CORRUPT)

    @property
    def modified(self) -> tuple[str, ...]:
        """Imported files that differ from upstream."""
        return self.survey.paths(FileState.MODIFIED)

    @property
    def good(self) -> bool:
        """Whether all files that are or were in the folder match upstream."""
        return not (self.corrupt or self.modified or self.survey.lost or self.receipt_problem)


def check(folder: PackFolder, on_file: Callable[[], None] = lambda: None) -> PackCheck:
    """Hashes the files of a pack that exist; ``on_file`` is called after each file.

    If nothing is wrong but files were touched or copied, the receipt is updated, if it can be
    written, so that they need no hashing next time. Raises OSError if a file cannot be read.
    """
    problem = ""
    try:
        receipt = folder.receipt()
    except DataPackCorruptError as error:
        receipt, problem = {}, str(error)
    known = with_archive(folder.definition, receipt)
    found = survey(folder.path, known, receipt, rehash=True, on_file=on_file)
    done = PackCheck(folder, found, problem)
    if found.held != receipt and not (problem or found.lost or done.corrupt):
        folder.refresh()
    return done
