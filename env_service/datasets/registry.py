"""The registered data packs: where each comes from, and the checksums of its files.

A pack is an entry point of ``houseguest.data_packs`` that has the pack's name and leads to a
package. The package's folder contains ``NAME.toml`` with the pack's header, and ``NAME.sums`` with
one line for each file: ``SHA-256 bytes path``, where the path is upstream's.
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
    """One file: its path below the repository's root, its size in bytes, and its SHA-256 in hex.

    A file that is not ``pinned`` belongs to the archive; its size and SHA-256 are those at import.
    """

    path: str
    size: int
    sha256: str
    pinned: bool = True


@dataclass(frozen=True, slots=True)
class PackDefinition:
    """The pinned definition of a pack.

    ``repository`` is ``owner/name`` on GitHub, ``commit`` a full commit hash, ``licence`` an SPDX
    identifier, and ``copyright`` the text after "Copyright (c)" in the repository's licence file.
    ``files`` maps paths to files, in the order of paths.

    ``archive`` is a regular expression, empty for most packs. It matches the paths of files that
    the same authors publish separately, in the repository's layout but without checksums. These
    files can be imported, but not fetched.
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
        """Whether the path belongs to the pack or to its archive."""
        return path in self.files or self.archives(path)

    def archives(self, path: str) -> bool:
        """Whether the path belongs to the archive."""
        pinned = path in self.files and self.files[path].pinned
        return bool(self.archive) and not pinned and bool(re.fullmatch(self.archive, path))

    @property
    def size(self) -> int:
        """The size of all files in bytes."""
        return sum(file.size for file in self.files.values())

    @property
    def page(self) -> str:
        """The address of the repository's web page at the pinned commit."""
        return f"https://github.com/{self.repository}/tree/{self.commit}"


def pack_names() -> tuple[str, ...]:
    """The names of all packs, in alphabetical order."""
    return tuple(installed(Group.DATA_PACKS))


def definition(name: str) -> PackDefinition:
    """A pack by its name.

    Raises UnknownNameError, and PluginError if its two files cannot be read.
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
            f"data pack {name!r} of the distribution {plugin.distributions[0]} cannot be read"
            f" ({type(error).__name__}: {error}): {plugin.path} must be a package with"
            f" {name}.toml and {name}.sums in its folder"
        ) from error


def _file(line: str) -> UpstreamFile:
    sha256, size, path = line.split(" ", 2)
    return UpstreamFile(path, int(size), sha256)
