"""What a pack's folder is known to hold, so that its files need not be hashed to be used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.registry import PackDefinition, UpstreamFile
from env_service.results.atomic import document, write_atomically
from env_service.results.canonical import parse
from env_service.results.fields import Fields, FormatError

RECEIPT = "pack.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Held:
    """A file as it was put there: ``size`` in bytes, ``mtime_ns`` in ns, SHA-256 in hex.

    While size and time are the same, so are the bytes: nobody has written to the file.
    """

    size: int
    mtime_ns: int
    sha256: str

    def is_still(self, found: os.stat_result) -> bool:
        """Whether the file is as it was."""
        return (found.st_size, found.st_mtime_ns) == (self.size, self.mtime_ns)


def read_receipt(folder: Path, definition: PackDefinition) -> dict[str, Held]:
    """The files that the receipt lists, by path; empty where there is no receipt.

    Raises DataPackCorruptError where it cannot be understood.
    """
    path = folder / RECEIPT
    try:
        fields = Fields(parse(path.read_bytes()), RECEIPT)
        _check_head(fields, definition)
        files = fields.object("files")
        return {name: _held(files.object(name)) for name in fields.mapping("files")}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise DataPackCorruptError(
            f"{path} is damaged: {error}. houseguest data fetch {definition.name} checks every"
            " file that is there, and writes it anew."
        ) from error


def with_archive(definition: PackDefinition, held: Mapping[str, Held]) -> PackDefinition:
    """The pack with those files of its archive that a receipt lists, as they were imported."""
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


def _check_head(fields: Fields, definition: PackDefinition) -> None:
    found = fields.integer("format"), fields.text("pack"), fields.text("commit")
    wanted = FORMAT, definition.name, definition.commit
    if found != wanted:
        raise FormatError(f"it is of {found}, not of {wanted}")


def _held(fields: Fields) -> Held:
    return Held(fields.integer("bytes"), fields.integer("mtime_ns"), fields.text("sha256"))
