"""A folder of the user's that holds a copy of a pack: what of it can be imported."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from env_service.datasets.errors import ImportSourceError, named
from env_service.datasets.registry import PackDefinition, UpstreamFile, definition, pack_names


@dataclass(frozen=True, slots=True)
class Source:
    """``files`` of the pack lie in ``folder``, beside ``others``, which the pack has not."""

    folder: Path
    files: tuple[UpstreamFile, ...]
    others: tuple[str, ...]


def read_source(pack: PackDefinition, folder: Path) -> Source:
    """Looks through a folder in upstream's layout, which may hold a part of the pack.

    A clone's ``.git`` does not count. Raises ImportSourceError where the folder cannot be
    read, holds nothing of the pack, or has a link or anything else but a plain file where a
    file of the pack should be.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise ImportSourceError(f"{folder} {what}.")
    plain, odd = _walk(folder)
    wrong = [path for path in odd if path in pack.files or _is_parent(path, pack)]
    if wrong:
        raise ImportSourceError(
            f"{folder}: {named(wrong)} should be plain files or folders, and are links or devices."
            " Make a copy that has the files themselves, as cp -rL does, and import that."
        )
    files = tuple(file for path, file in pack.files.items() if path in plain)
    if not files:
        raise ImportSourceError(_nothing(pack, folder, plain))
    others = tuple(sorted(path for path in (*plain, *odd) if path not in pack.files))
    return Source(folder, files, others)


def _walk(folder: Path) -> tuple[set[str], list[str]]:
    """The plain files below a folder, and whatever is neither a plain file nor a folder."""
    plain, odd = set(), []
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                plain.add(path.relative_to(folder).as_posix())
            elif not stat.S_ISDIR(mode):
                odd.append(path.relative_to(folder).as_posix())
    return plain, odd


def _unreadable(error: OSError) -> NoReturn:
    raise ImportSourceError(f"{error.filename} cannot be read: {error.strerror}.") from error


def _is_parent(path: str, pack: PackDefinition) -> bool:
    return any(name.startswith(f"{path}/") for name in pack.files)


def _nothing(pack: PackDefinition, folder: Path, plain: set[str]) -> str:
    """Why a folder without a file of the pack is not it, and what may have been meant."""
    problem = f"{folder} holds no file of data pack {pack.name!r}"
    below = _prefix(plain, pack.files)
    if below:
        right = folder / below
        return f"{problem}; {right} does: houseguest data import {pack.name} {right}"
    above = _prefix(pack.files, plain)
    if above:
        return (
            f"{problem} at its place: it looks like upstream's folder {above!r}. Give the folder"
            f" that has {above!r} in it."
        )
    counts = {name: len(plain & definition(name).files.keys()) for name in pack_names()}
    best = max(counts, key=counts.__getitem__)
    if counts[best]:
        return f"{problem}. It looks like {best!r}: houseguest data import {best} {folder}"
    return f"{problem}, as {next(iter(pack.files))!r}. Its layout has to be that of {pack.page}"


def _prefix(longer: Iterable[str], shorter: Iterable[str]) -> str:
    """What stands before a path of ``shorter`` in one of ``longer``; empty for none."""
    known = frozenset(shorter)
    for path in longer:
        head, rest = "", path
        while "/" in rest:
            part, _, rest = rest.partition("/")
            head = f"{head}/{part}" if head else part
            if rest in known:
                return head
    return ""
