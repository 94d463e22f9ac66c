"""Errors of data packs. Every message is written for users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class DataPackError(Exception):
    """Something about a data pack is wrong."""


class DataPackMissingError(DataPackError):
    """Files of a pack are missing.

    ``pack`` is the pack's name, and ``files`` are the missing files. ``absent`` means that the
    whole pack is missing. ``instead`` is an alternative that works without them; the message
    includes it.
    """

    def __init__(self, pack: str, files: Sequence[str], *, absent: bool = False) -> None:
        super().__init__(pack, files)
        self.pack, self.files, self.absent = pack, tuple(files), absent
        self.instead = ""

    def __str__(self) -> str:
        what = "is not installed" if self.absent else f"lacks {named(self.files)}"
        other = f" Or {self.instead}." if self.instead else ""
        return (
            f"data pack {self.pack} {what}. Download it with `houseguest data fetch {self.pack}`,"
            f" or import your own copy with `houseguest data import {self.pack} FOLDER`.{other}"
        )


class DataPackCorruptError(DataPackError):
    """A file of a pack, or its receipt, has changed since it was stored."""


class DataPackBusyError(DataPackError):
    """Another process is writing this pack."""


class DataFolderError(DataPackError):
    """The folder for data packs cannot be used."""


class ImportSourceError(DataPackError):
    """A folder or zip file cannot be imported as the given pack."""


class MirrorError(DataPackError):
    """An address cannot be used as a mirror."""


def named(files: Sequence[str], most: int = 3) -> str:
    """A list of the first few files, and how many more there are."""
    more = f" and {len(files) - most} more" if len(files) > most else ""
    return ", ".join(repr(file) for file in files[:most]) + more


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Turns an OSError about the folder for data packs into a DataFolderError."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise DataFolderError(
            f"{place}: {error.strerror}. Data packs cannot be stored there. Make the folder"
            " writable, or set HOUSEGUEST_DATA to another folder."
        ) from error
