"""Reading every byte of a pack again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from env_service.datasets.errors import DataPackCorruptError
from env_service.datasets.folder import PackFolder
from env_service.datasets.receipt import with_archive
from env_service.datasets.survey import FileState, Survey, survey


@dataclass(frozen=True, slots=True)
class PackCheck:
    """What a pack's files are, by their bytes; ``receipt_problem`` is empty for a sound one."""

    folder: PackFolder
    survey: Survey
    receipt_problem: str

    @property
    def corrupt(self) -> tuple[str, ...]:
        """Files whose bytes nobody accepted."""
        return self.survey.paths(FileState.CORRUPT)

    @property
    def modified(self) -> tuple[str, ...]:
        """Files that were imported though their bytes are not upstream's."""
        return self.survey.paths(FileState.MODIFIED)

    @property
    def good(self) -> bool:
        """Whether all that is there, or was, is as upstream has it."""
        return not (self.corrupt or self.modified or self.survey.lost or self.receipt_problem)


def check(folder: PackFolder, on_file: Callable[[], None] = lambda: None) -> PackCheck:
    """Hashes what is there of a pack; ``on_file`` is called after each file.

    Where all is well but files were touched or copied, the receipt is brought up to date, if
    it can be, so that they need not be hashed again. Raises OSError where a file cannot be
    read.
    """
    problem = ""
    try:
        receipt = folder.receipt()
    except DataPackCorruptError as error:
        receipt, problem = {}, str(error)
    known = with_archive(folder.definition, receipt)
    found = survey(folder.path, known, receipt, rehash=True, on_file=on_file)
    done = PackCheck(folder, found, problem)
    if found.held != receipt and not (problem or found.lost or done.corrupt):
        folder.refresh()
    return done
