"""Imports a pack from a user's copy in a folder or a zip file."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from env_service.datasets.errors import ImportSourceError, named
from env_service.datasets.folder import PackFolder, PackWriter
from env_service.datasets.registry import PackDefinition, UpstreamFile, definition, pack_names
from env_service.datasets.survey import FileState
from env_service.storage.plain_files import open_plain

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import.

    ``copied`` files were put in place; ``kept`` files already matched upstream. ``modified`` lists
    the copied files that differ from upstream.
    """

    copied: int
    kept: int
    modified: tuple[str, ...]


def import_source(
    folder: PackFolder, source: PackSource, on_file: Callable[[], None] = lambda: None
) -> ImportReport:
    """Copies the files of a source into a pack's folder; ``on_file`` is called after each.

    A file that already matches upstream stays, and so does a file of the archive with the same
    bytes. Each file appears only when it is complete; after an interruption, a second import
    continues.

    Raises ImportSourceError if a file cannot be read, DataPackBusyError, and DataFolderError.
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
    """Opens files of a source; errors name the file that cannot be read."""

    place: Path
    open: Callable[[str], IO[bytes]]

    def pour(self, path: str, into: Callable[[bytes], object]) -> None:
        """Passes all bytes of a file to ``into``, whose errors propagate.

        Raises ImportSourceError.
        """
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
def _opened(source: PackSource) -> Iterator[_Opener]:
    with ExitStack() as stack:
        try:
            open_file = stack.enter_context(source.reading())
        except UNREADABLE as error:
            raise ImportSourceError(f"{source.place} cannot be read: {error}.") from error
        yield _Opener(source.place, open_file)


def _is_held(file: UpstreamFile, opener: _Opener, writer: PackWriter) -> bool:
    """Whether the pack's folder already has a file of the archive with the source's bytes."""
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


# --- Reading a user's copy

UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""Errors of reading from a source. A zip file with a password or an unknown compression raises
RuntimeError."""


_MOST_BYTES = 2**40


@dataclass(frozen=True, slots=True)
class PackSource:
    """A folder or zip file, ``place``, with files of a pack.

    ``files`` belong to the pack; ``others`` do not. Files of the pack's archive are among
    ``files``, with an empty SHA-256. ``within`` is the folder in a zip file that has upstream's
    layout, empty or with a slash at its end.
    """

    place: Path
    files: tuple[UpstreamFile, ...]
    others: tuple[str, ...]
    within: str = ""

    @contextmanager
    def reading(self) -> Iterator[Callable[[str], IO[bytes]]]:
        """Gives a function that opens a file by its path in upstream's layout.

        Opening and reading raise the errors in `UNREADABLE`.
        """
        if self.place.is_dir():
            yield lambda path: open_plain(self.place / path, _MOST_BYTES, within=self.place)
            return
        with zipfile.ZipFile(self.place) as packed:
            yield lambda path: packed.open(self.within + path)


@dataclass(frozen=True, slots=True)
class _Found:
    """The contents of a source: ``plain`` files with their sizes in bytes, and the paths of entries
    that are neither plain files nor folders."""

    plain: dict[str, int]
    odd: list[str]


def read_source(pack: PackDefinition, place: Path) -> PackSource:
    """Lists the files of a folder or zip file that has upstream's layout.

    It may contain only a part of the pack. In a zip file, the layout may start below another
    folder. A clone's ``.git`` is ignored. Raises ImportSourceError if the place cannot be read,
    contains no file of the pack, or has something other than a plain file, such as a link, in place
    of a file of the pack.
    """
    if place.is_dir():
        return _source(pack, place, _walk(place))
    if not place.exists():
        raise ImportSourceError(f"{place} does not exist.")
    if not place.is_file() or not zipfile.is_zipfile(place):
        raise ImportSourceError(f"{place} is neither a folder nor a zip file.")
    found = _unzip(place)
    within = _below(found.plain, pack.takes)
    return _source(pack, place, _moved(found, f"{within}/") if within else found, within)


def _source(pack: PackDefinition, place: Path, found: _Found, within: str = "") -> PackSource:
    wrong = [path for path in found.odd if pack.takes(path) or _is_parent(path, pack)]
    if wrong:
        raise ImportSourceError(
            f"{place}: {named(wrong)} should be plain files or folders, but are links or devices."
            " Make a copy without links, for example with cp -rL, and import that."
        )
    pinned = [file for path, file in pack.files.items() if path in found.plain]
    archived = [
        UpstreamFile(path, found.plain[path], "", pinned=False)
        for path in sorted(filter(pack.archives, found.plain))
    ]
    if not pinned and not archived:
        raise ImportSourceError(_nothing(pack, place, set(found.plain)))
    others = tuple(sorted(path for path in (*found.plain, *found.odd) if not pack.takes(path)))
    return PackSource(place, (*pinned, *archived), others, f"{within}/" if within else "")


def _walk(folder: Path) -> _Found:
    found = _Found({}, [])
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = Path(place, name)
            status = path.lstat()
            _sort(found, path.relative_to(folder).as_posix(), status.st_mode, status.st_size)
    return found


def _unzip(file: Path) -> _Found:
    found = _Found({}, [])
    try:
        with zipfile.ZipFile(file) as packed:
            for entry in packed.infolist():
                if ".git" in entry.filename.split("/"):
                    continue
                # Entries from systems without Unix file modes are plain files.
                mode = entry.external_attr >> 16
                kind = stat.S_IFDIR if entry.is_dir() else stat.S_IFMT(mode) or stat.S_IFREG
                _sort(found, entry.filename.rstrip("/"), kind, entry.file_size)
    except UNREADABLE as error:
        raise ImportSourceError(f"{file} cannot be read: {error}.") from error
    return found


def _sort(found: _Found, path: str, mode: int, size: int) -> None:
    if stat.S_ISREG(mode):
        found.plain[path] = size
    elif not stat.S_ISDIR(mode):
        found.odd.append(path)


def _moved(found: _Found, within: str) -> _Found:
    """The same contents with paths relative to a folder; paths outside of it stay as they are."""
    return _Found(
        {path.removeprefix(within): size for path, size in found.plain.items()},
        [path.removeprefix(within) for path in found.odd],
    )


def _unreadable(error: OSError) -> NoReturn:
    raise ImportSourceError(f"{error.filename} cannot be read: {error.strerror}.") from error


def _is_parent(path: str, pack: PackDefinition) -> bool:
    return any(name.startswith(f"{path}/") for name in pack.files)


def _nothing(pack: PackDefinition, place: Path, plain: set[str]) -> str:
    """The message for a place without a file of the pack, with a guess at what the user meant."""
    problem = f"{place} contains no file of data pack {pack.name!r}"
    below = _below(plain, pack.takes)
    if below:
        right = place / below
        return f"{problem}; {right} does: houseguest data import {pack.name} {right}"
    above = _below(pack.files, plain.__contains__)
    if above:
        return (
            f"{problem} at its expected path: it looks like upstream's folder {above!r}. Give the"
            f" folder that contains {above!r}."
        )
    counts = {name: len(plain & definition(name).files.keys()) for name in pack_names()}
    best = max(counts, key=counts.__getitem__)
    if counts[best]:
        return f"{problem}. It looks like {best!r}: houseguest data import {best} {place}"
    example = next(iter(pack.files))
    return f"{problem}, such as {example!r}. It must have the layout of {pack.page}"


def _below(paths: Iterable[str], known: Callable[[str], bool]) -> str:
    """The folder that precedes a known path in one of ``paths``.

    Empty if one of ``paths`` is itself known, or if none contains a known path.
    """
    found = ""
    for path in paths:
        if known(path):
            return ""
        found = found or _head(path, known)
    return found


def _head(path: str, known: Callable[[str], bool]) -> str:
    head, rest = "", path
    while "/" in rest:
        part, _, rest = rest.partition("/")
        head = f"{head}/{part}" if head else part
        if known(rest):
            return head
    return ""
