"""Reading the pack's texts, with errors that name the file."""

from __future__ import annotations

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.pack import Pack
from env_service.suites.actplan.dataset.layout import PACK
from env_service.suites.json_node import DataError


class PublishedError(DataError):
    """A published file cannot be read: which, where in it, and why."""


def read_text(pack: Pack, path: str) -> str:
    """A file of the pack, which is text in UTF-8 and not blank; a byte order mark is dropped.

    Raises:
        DataPackMissingError, DataPackCorruptError: it is not here, or not sound.
        PublishedError: it is no such text.
    """
    file = pack.path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PublishedError(path, "", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PublishedError(path, f"byte {error.start}", "is no text in UTF-8") from error
    if not text.strip():
        raise PublishedError(path, "", "is empty")
    return text


def damaged(error: DataError) -> DataPackCorruptError:
    """What is wrong with a published file, as a user is told."""
    return DataPackCorruptError(
        f"data pack {PACK!r} cannot be used: {error}. Mend it: houseguest data fetch {PACK}; or"
        " import a sound copy."
    )
