"""What of a pack is there, and whether it is what upstream has."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from env_service.datasets.receipt import Held
from env_service.datasets.registry import PackDefinition, UpstreamFile


class FileState(Enum):
    """How a file stands."""

    MISSING = "missing"
    INTACT = "intact"
    """The bytes that upstream has."""
    MODIFIED = "modified"
    """Other bytes, which an import accepted."""
    CORRUPT = "corrupt"
    """Other bytes, and nobody accepted them."""


USABLE = (FileState.INTACT, FileState.MODIFIED)
OTHER_BYTES = (FileState.MODIFIED, FileState.CORRUPT)


@dataclass(frozen=True, slots=True)
class Survey:
    """How each file of a pack stands.

    ``states`` has every file of the pack, and those of its archive that were imported; ``held``
    those that are usable, as a receipt lists them; ``lost`` those that were there once and are
    missing now.
    """

    definition: PackDefinition
    states: Mapping[str, FileState]
    held: Mapping[str, Held]
    lost: tuple[str, ...]

    def paths(self, *states: FileState) -> tuple[str, ...]:
        """The files in one of these states, in the order of paths."""
        return tuple(path for path, state in self.states.items() if state in states)

    def wanting(self) -> tuple[UpstreamFile, ...]:
        """The files that can be fetched and are not there as upstream has them."""
        return tuple(
            self.definition.files[path]
            for path, state in self.states.items()
            if state is not FileState.INTACT and self.definition.files[path].pinned
        )

    def usable(self, *, pinned: bool = True) -> int:
        """How many files are usable: of the repository, or those of the archive."""
        return sum(self.definition.files[path].pinned is pinned for path in self.held)

    @property
    def label(self) -> str:
        """``absent``, ``partial 3 of 7`` or ``complete``; what is wrong; and how many files of the
        archive there are."""
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
) -> Survey:
    """Looks at every file of a pack; ``on_file`` is called after each. See ``look``."""
    states, held = {}, {}
    for path, file in definition.files.items():
        states[path], now = look(folder, file, receipt.get(path), rehash=rehash)
        if now is not None:
            held[path] = now
        on_file()
    lost = tuple(path for path in receipt if states.get(path) is FileState.MISSING)
    return Survey(definition, states, held, lost)


def look(
    folder: Path, file: UpstreamFile, known: Held | None, *, rehash: bool = False
) -> tuple[FileState, Held | None]:
    """How a file stands, and how a receipt should list it; None where it is not usable.

    A file that is as the receipt knows it is not read, unless ``rehash``. Any other one is:
    its bytes alone say what it is. Raises OSError where it cannot be read.
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
