"""The data packs that are known: where each comes from, and the checksums of its files.

``pinned/NAME.toml`` holds a pack's head, ``pinned/NAME.sums`` a line for each file:
``SHA-256 bytes path``, the path as upstream has it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from env_service.domain.names import UnknownNameError

FOLDER = Path(__file__).parent / "pinned"


@dataclass(frozen=True, slots=True)
class UpstreamFile:
    """One file: its path below the repository's root, its size in bytes, its SHA-256 in hex.

    One that is not ``pinned`` is of the archive: it is what it was when it was imported.
    """

    path: str
    size: int
    sha256: str
    pinned: bool = True


@dataclass(frozen=True, slots=True)
class PackDefinition:
    """A pack as it is pinned.

    ``repository`` is ``owner/name`` on GitHub, ``commit`` a full commit of it, ``licence`` an
    SPDX identifier, ``copyright`` what the repository's licence file says after "Copyright
    (c)". ``files`` is by path, in the order of paths.

    ``archive`` is a regular expression, empty for most packs: the paths of files that the same
    authors publish apart from the repository, in its layout, and without checksums. They can be
    imported, and not fetched.
    """

    name: str
    purpose: str
    repository: str
    commit: str
    licence: str
    copyright: str
    files: Mapping[str, UpstreamFile]
    archive: str = ""

    def takes(self, path: str) -> bool:
        """Whether the pack has a file of this path, or a place for it."""
        return path in self.files or self.archives(path)

    def archives(self, path: str) -> bool:
        """Whether a path is that of a file of the archive."""
        pinned = path in self.files and self.files[path].pinned
        return bool(self.archive) and not pinned and bool(re.fullmatch(self.archive, path))

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files.values())

    @property
    def page(self) -> str:
        """Where a person can look at it."""
        return f"https://github.com/{self.repository}/tree/{self.commit}"


def pack_names() -> tuple[str, ...]:
    """The names of all packs."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def definition(name: str) -> PackDefinition:
    """A pack by its name. Raises UnknownNameError."""
    if name not in pack_names():
        raise UnknownNameError("data pack", name, pack_names())
    return _read(FOLDER, name)


@cache
def _read(folder: Path, name: str) -> PackDefinition:
    head = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    lines = (folder / f"{name}.sums").read_text(encoding="utf-8").splitlines()
    files = [_file(line) for line in lines]
    return PackDefinition(name=name, files={file.path: file for file in files}, **head)


def _file(line: str) -> UpstreamFile:
    sha256, size, path = line.split(" ", 2)
    return UpstreamFile(path, int(size), sha256)
