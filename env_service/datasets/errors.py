"""Errors of data packs. Every message is written for users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class DataPackError(Exception):
    """Something about a data pack is wrong."""


class DataPackMissingError(DataPackError):
    """Files of a pack are missing.

    ``pack`` is the pack's name, and ``files`` are the missing ones. ``absent``: the whole pack is
    missing. ``instead`` says in the message what works without them.
    """

    def __init__(self, pack: str, files: Sequence[str], *, absent: bool = False) -> None:
        super().__init__(pack, files)
        self.pack, self.files, self.absent = pack, tuple(files), absent
        self.instead = ""

    def __str__(self) -> str:
        what = "is not here" if self.absent else f"lacks {named(self.files)}"
        other = f" Or {self.instead}." if self.instead else ""
        return (
            f"data pack {self.pack} {what}. Get it with `houseguest data fetch {self.pack}`, or,"
            f" from a copy that you have, with `houseguest data import {self.pack} FOLDER`.{other}"
        )


class DataPackCorruptError(DataPackError):
    """A file of a pack, or its receipt, has changed since it was stored."""


class DataPackBusyError(DataPackError):
    """Another process writes this pack."""


class DataFolderError(DataPackError):
    """The folder of the data packs cannot be used."""


class ImportSourceError(DataPackError):
    """A folder cannot be imported as the pack that it was said to be."""


class MirrorError(DataPackError):
    """An address cannot be that of a mirror."""


def named(files: Sequence[str], most: int = 3) -> str:
    """The first few of some files, and how many more there are."""
    more = f" and {len(files) - most} more" if len(files) > most else ""
    return ", ".join(repr(file) for file in files[:most]) + more


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Turns an OSError about the folder of the data packs into a DataFolderError."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise DataFolderError(
            f"{place}: {error.strerror}. Data packs cannot be kept there; mend it, or let"
            " HOUSEGUEST_DATA name another folder."
        ) from error
