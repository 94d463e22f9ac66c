"""What suites use: a pack's files by name, and their description for a run's manifest."""

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

    ``files`` counts them; ``digest`` is the SHA-256, in hex, of a line ``SHA-256 path`` for
    each in the order of paths, LF at its end; ``modified`` are those whose bytes are not
    upstream's.
    """

    pack: str
    commit: str
    files: int
    digest: str
    modified: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "modified": list(self.modified)}


class Pack:
    """A pack on this machine; ``open_pack`` makes it.

    Files that are as the receipt lists them are not read; any other is hashed when it is
    asked for. A pack may be partial: only what is asked for has to be there. Of the archive it
    has the files that were imported.
    """

    def __init__(self, folder: PackFolder) -> None:
        self._folder = folder.path
        self._known = folder.receipt()
        self._definition = with_archive(folder.definition, self._known)

    def path(self, relative: str) -> Path:
        """Where a file lies, by its path in upstream's layout.

        Raises UnknownNameError for a file that the pack does not have, DataPackMissingError
        for one that is not there, and DataPackCorruptError for one that is damaged.
        """
        if relative not in self._definition.files:
            raise self._unknown(relative)
        self._check([relative])
        return self._folder / relative

    def files(self, *patterns: str) -> tuple[str, ...]:
        """The files that are there, by path and in that order; only those that match.

        A pattern is a path, or a shell pattern whose ``*`` also takes ``/``. Raises OSError
        where a file cannot be read.
        """
        chosen = {path for pattern in patterns or ("*",) for path in self._matching(pattern)}
        return tuple(path for path in sorted(chosen) if self._look(path) in USABLE)

    def require(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """Every file of the pack that matches, in the order of paths.

        Raises DataPackMissingError and DataPackCorruptError where not all of them are there,
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
        """What is there, or what of it matches: see ``files``."""
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
        """The error about files that are not there."""
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
                f"data pack {name!r} is damaged: {named(corrupt)} in {self._folder}. Mend it:"
                f" houseguest data fetch {name}; or import a sound copy."
            )
        missing = [path for path, state in states.items() if state is FileState.MISSING]
        if missing:
            raise self.missing(missing)


def open_pack(name: str, root: Path | None = None) -> Pack:
    """A pack by its name, which need not be there yet; ``root`` overrides ``data_root()``.

    Raises UnknownNameError, and DataPackCorruptError where its receipt is damaged.
    """
    return Pack(PackFolder(definition(name), root))
