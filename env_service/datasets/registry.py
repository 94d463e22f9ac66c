"""The registered data packs: where each comes from, and the checksums of its files.

A pack is an entry point of ``houseguest.data_packs``. Its name is the pack's, and it leads to a
package. Beside that package's ``__init__.py`` lies ``NAME.toml`` with the pack's head, and
``NAME.sums`` with a line for each file: ``SHA-256 bytes path``, the path as upstream has it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from env_service.domain.names import UnknownNameError
from env_service.plugins import Group, Plugin, PluginError, installed


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
    """The names of all packs, in alphabetical order."""
    return tuple(installed(Group.DATA_PACKS))


def definition(name: str) -> PackDefinition:
    """A pack by its name.

    Raises UnknownNameError, and PluginError where its two files cannot be read.
    """
    plugins = installed(Group.DATA_PACKS)
    if name not in plugins:
        raise UnknownNameError(Group.DATA_PACKS.noun, name, plugins)
    return _read(plugins[name])


@cache
def _read(plugin: Plugin) -> PackDefinition:
    package, name = plugin.load(), plugin.name
    try:
        folder = files(package)
        head = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        lines = (folder / f"{name}.sums").read_text(encoding="utf-8").splitlines()
        pinned = [_file(line) for line in lines]
        return PackDefinition(name=name, files={file.path: file for file in pinned}, **head)
    except (OSError, TypeError, ValueError) as error:
        raise PluginError(
            f"data pack {name!r} of the distribution {plugin.distributions[0]} cannot be read:"
            f" {plugin.path} has to be a package with {name}.toml and {name}.sums in its folder:"
            f" {type(error).__name__}: {error}"
        ) from error


def _file(line: str) -> UpstreamFile:
    sha256, size, path = line.split(" ", 2)
    return UpstreamFile(path, int(size), sha256)
