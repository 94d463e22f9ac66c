"""What can be wrong with a data pack. Every message is fit for a user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class DataPackError(Exception):
    """Something about a data pack is wrong."""


class DataPackMissingError(DataPackError):
    """Files are asked for that are not there. ``pack`` names theirs, ``files`` a few of them."""

    def __init__(self, pack: str, files: Sequence[str]) -> None:
        self.pack, self.files = pack, tuple(files)
        super().__init__(
            f"data pack {pack!r} lacks {named(files)}. Get it: houseguest data fetch {pack};"
            f" or, from a copy that you have: houseguest data import {pack} DIR"
        )


class DataPackCorruptError(DataPackError):
    """A file of a pack, or its receipt, is not what it was when it was put there."""


class DataPackBusyError(DataPackError):
    """Another process writes this pack."""


class DataFolderError(DataPackError):
    """The folder that packs are kept in cannot be used."""


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
    """Turns an OSError about the folder that packs are kept in into a DataFolderError."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise DataFolderError(
            f"{place}: {error.strerror}. Data packs cannot be kept there; mend it, or let"
            " HOUSEGUEST_DATA name another folder."
        ) from error
