"""Access to a pack's files for suites, and their description for a run's manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError, named
from env_service.datasets.folder import PackFolder
from env_service.datasets.registry import definition
from env_service.datasets.survey import USABLE, FileState, Held, look, with_archive
from env_service.domain.names import UnknownNameError


@dataclass(frozen=True, slots=True)
class PackDescription:
    """The files of a pack that a run used, for its manifest.

    ``files`` is their number. ``digest`` is a SHA-256 in hex: it hashes one line ``SHA-256 path``
    for each file in the order of paths, with LF at its end. ``modified`` lists the files that
    differ from upstream.
    """

    pack: str
    commit: str
    files: int
    digest: str
    modified: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The description as JSON."""
        return {**asdict(self), "modified": list(self.modified)}


class Pack:
    """A pack on this machine; ``open_pack`` creates it.

    A file whose size and time match the receipt is not read; any other file is hashed when it is
    requested. A pack may be partial: only requested files have to exist. Of the archive it has the
    files that were imported.
    """

    def __init__(self, folder: PackFolder) -> None:
        self._folder = folder.path
        self._known = folder.receipt()
        self._definition = with_archive(folder.definition, self._known)

    def path(self, relative: str) -> Path:
        """The path of a file on this machine; ``relative`` is its path in upstream's layout.

        Raises UnknownNameError if the pack has no such file, DataPackMissingError if the file is
        missing, and DataPackCorruptError if it is damaged.
        """
        if relative not in self._definition.files:
            raise self._unknown(relative)
        self._check([relative])
        return self._folder / relative

    def files(self, *patterns: str) -> tuple[str, ...]:
        """The paths of the usable files that match a pattern, in the order of paths.

        A pattern is a path, or a shell pattern whose ``*`` also matches ``/``. Without patterns,
        all usable files match. Raises OSError if a file cannot be read.
        """
        chosen = {path for pattern in patterns or ("*",) for path in self._matching(pattern)}
        return tuple(path for path in sorted(chosen) if self._look(path) in USABLE)

    def require(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """Every file of the pack that matches a pattern, in the order of paths.

        Raises DataPackMissingError or DataPackCorruptError if one of them is missing or damaged,
        and UnknownNameError for a pattern that no file of the pack matches.
        """
        wanted: set[str] = set()
        for pattern in patterns:
            matching = self._matching(pattern)
            if not matching:
                raise self._unknown(pattern)
            wanted.update(matching)
        chosen = tuple(sorted(wanted))
        self._check(chosen)
        return chosen

    def describe(self, *patterns: str) -> PackDescription:
        """Describes the usable files that match the patterns; see ``files``."""
        held: Mapping[str, Held] = {path: self._known[path] for path in self.files(*patterns)}
        lines = "".join(f"{file.sha256} {path}\n" for path, file in held.items())
        pinned = self._definition.files
        return PackDescription(
            pack=self._definition.name,
            commit=self._definition.commit,
            files=len(held),
            digest=hashlib.sha256(lines.encode()).hexdigest(),
            modified=tuple(p for p, file in held.items() if file.sha256 != pinned[p].sha256),
        )

    def missing(self, files: Sequence[str]) -> DataPackMissingError:
        """The error for missing files."""
        absent = all(self._look(path) is FileState.MISSING for path in self._known)
        return DataPackMissingError(self._definition.name, files, absent=absent)

    def _matching(self, pattern: str) -> list[str]:
        if pattern in self._definition.files:
            return [pattern]
        return [path for path in self._definition.files if fnmatchcase(path, pattern)]

    def _unknown(self, name: str) -> UnknownNameError:
        kind = f"file in data pack {self._definition.name!r}"
        return UnknownNameError(kind, name, self._definition.files)

    def _look(self, path: str) -> FileState:
        state, held = look(self._folder, self._definition.files[path], self._known.get(path))
        if held is not None:
            self._known[path] = held
        return state

    def _check(self, paths: Iterable[str]) -> None:
        states = {path: self._look(path) for path in paths}
        corrupt = [path for path, state in states.items() if state is FileState.CORRUPT]
        if corrupt:
            name = self._definition.name
            raise DataPackCorruptError(
                f"data pack {name!r} is damaged: {named(corrupt)} in {self._folder}. Download it"
                f" again with houseguest data fetch {name}, or import an intact copy."
            )
        missing = [path for path, state in states.items() if state is FileState.MISSING]
        if missing:
            raise self.missing(missing)


def open_pack(name: str, root: Path | None = None) -> Pack:
    """A pack by its name; it need not be installed yet. ``root`` overrides ``data_root()``.

    Raises UnknownNameError, and DataPackCorruptError if the receipt is damaged.
    """
    return Pack(PackFolder(definition(name), root))
