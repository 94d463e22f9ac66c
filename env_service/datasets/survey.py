"""Compares a pack's files with upstream, and reads and writes the receipt that records them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.registry import PackDefinition, UpstreamFile
from env_service.domain.data_node import DataNode, FormatError
from env_service.storage.atomic_files import document, write_atomically
from env_service.storage.canonical_json import parse


class FileState(Enum):
    """The state of a file compared with upstream."""

    MISSING = "missing"
    INTACT = "intact"
    """The file matches upstream."""
    MODIFIED = "modified"
    """The file differs from upstream, and an import accepted it so."""
    CORRUPT = "corrupt"
    """The file differs from upstream, and no import accepted it so."""


USABLE = (FileState.INTACT, FileState.MODIFIED)
OTHER_BYTES = (FileState.MODIFIED, FileState.CORRUPT)


@dataclass(frozen=True, slots=True)
class PackSurvey:
    """The state of each file of a pack.

    ``states`` covers every file of the pack and the imported files of its archive. ``held`` has the
    receipt entries of the usable files. ``lost`` lists files of the receipt that are missing now.
    """

    definition: PackDefinition
    states: Mapping[str, FileState]
    held: Mapping[str, Held]
    lost: tuple[str, ...]

    def paths(self, *states: FileState) -> tuple[str, ...]:
        """The files in one of these states, in the order of paths."""
        return tuple(path for path, state in self.states.items() if state in states)

    def wanting(self) -> tuple[UpstreamFile, ...]:
        """The files that can be fetched and are missing or differ from upstream."""
        return tuple(
            self.definition.files[path]
            for path, state in self.states.items()
            if state is not FileState.INTACT and self.definition.files[path].pinned
        )

    def usable(self, *, pinned: bool = True) -> int:
        """The number of usable files of the repository, or of the archive if not ``pinned``."""
        return sum(self.definition.files[path].pinned is pinned for path in self.held)

    @property
    def label(self) -> str:
        """A summary: ``absent``, ``partial 3 of 7`` or ``complete``, then the numbers of modified
        and corrupt files, and the number of files of the archive."""
        usable, more = self.usable(), self.usable(pinned=False)
        total = sum(file.pinned for file in self.definition.files.values())
        amount = "complete" if usable == total else f"partial {usable} of {total}"
        odd = [
            f"{count} {state.value}" for state in OTHER_BYTES if (count := len(self.paths(state)))
        ]
        archived = [f"{more} of the archive"] if more else []
        return ", ".join(["absent" if not usable and not odd else amount, *odd, *archived])


def survey(
    folder: Path,
    definition: PackDefinition,
    receipt: Mapping[str, Held],
    *,
    rehash: bool = False,
    on_file: Callable[[], None] = lambda: None,
) -> PackSurvey:
    """Determines the state of every file of a pack; ``on_file`` is called after each. See
    ``look``."""
    states, held = {}, {}
    for path, file in definition.files.items():
        states[path], now = look(folder, file, receipt.get(path), rehash=rehash)
        if now is not None:
            held[path] = now
        on_file()
    lost = tuple(path for path in receipt if states.get(path) is FileState.MISSING)
    return PackSurvey(definition, states, held, lost)


def look(
    folder: Path, file: UpstreamFile, known: Held | None, *, rehash: bool = False
) -> tuple[FileState, Held | None]:
    """A file's state, and its entry for a receipt; None if the file is not usable.

    A file whose size and time match the receipt's entry ``known`` is not read unless ``rehash`` is
    true. Any other file is hashed. Raises OSError if it cannot be read.
    """
    path = folder / file.path
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return FileState.MISSING, None
    if not stat.S_ISREG(found.st_mode):
        return FileState.CORRUPT, None
    if known is not None and known.is_still(found) and not rehash:
        return _state(file, known.sha256, known), known
    if found.st_size != file.size and (known is None or found.st_size != known.size):
        return FileState.CORRUPT, None
    now = Held(found.st_size, found.st_mtime_ns, sha256_of(path))
    state = _state(file, now.sha256, known)
    return state, now if state in USABLE else None


def sha256_of(path: Path) -> str:
    """A file's SHA-256, in hex."""
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _state(file: UpstreamFile, sha256: str, known: Held | None) -> FileState:
    if sha256 == file.sha256:
        return FileState.INTACT
    accepted = known is not None and known.sha256 == sha256
    return FileState.MODIFIED if accepted else FileState.CORRUPT


# --- The receipt: the contents of a pack's folder, so that its files need no hashing before use

RECEIPT = "pack.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Held:
    """A file when it was stored: ``size`` in bytes, ``mtime_ns`` in ns, SHA-256 in hex.

    If size and time are unchanged, the contents are taken to be unchanged too.
    """

    size: int
    mtime_ns: int
    sha256: str

    def is_still(self, found: os.stat_result) -> bool:
        """Whether size and time are unchanged."""
        return (found.st_size, found.st_mtime_ns) == (self.size, self.mtime_ns)


def read_receipt(folder: Path, definition: PackDefinition) -> dict[str, Held]:
    """The files that the receipt lists, by path; empty without a receipt.

    Raises DataPackCorruptError if the receipt cannot be read.
    """
    path = folder / RECEIPT
    try:
        fields = DataNode(parse(path.read_bytes()), RECEIPT)
        _check_head(fields, definition)
        return fields["files"].mapped(_held)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise DataPackCorruptError(
            f"{path} is damaged: {error}. To check all files and write it again, run houseguest"
            f" data fetch {definition.name}."
        ) from error


def with_archive(definition: PackDefinition, held: Mapping[str, Held]) -> PackDefinition:
    """The pack's definition extended by the archive's files that a receipt lists."""
    more = {
        path: UpstreamFile(path, file.size, file.sha256, pinned=False)
        for path, file in held.items()
        if definition.archives(path)
    }
    return replace(definition, files={**definition.files, **more}) if more else definition


def write_receipt(folder: Path, definition: PackDefinition, held: Mapping[str, Held]) -> None:
    """Replaces the receipt. Raises OSError."""
    value = {
        "format": FORMAT,
        "pack": definition.name,
        "repository": definition.repository,
        "commit": definition.commit,
        "files": {
            path: {"bytes": file.size, "mtime_ns": file.mtime_ns, "sha256": file.sha256}
            for path, file in held.items()
        },
        "modified": sorted(
            path
            for path, file in held.items()
            if path in definition.files
            and definition.files[path].pinned
            and file.sha256 != definition.files[path].sha256
        ),
    }
    write_atomically(folder / RECEIPT, document(value))


def _check_head(fields: DataNode, definition: PackDefinition) -> None:
    found = fields["format"].whole(), fields["pack"].string(), fields["commit"].string()
    wanted = FORMAT, definition.name, definition.commit
    if found != wanted:
        raise FormatError(f"it belongs to {found}, not to {wanted}")


def _held(fields: DataNode) -> Held:
    return Held(fields["bytes"].whole(), fields["mtime_ns"].whole(), fields["sha256"].string())
