"""What an operator hears when a run or a practice cannot be opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from env_service.datasets.errors import DataPackError
from env_service.domain.fields import FormatError
from env_service.domain.reasons import ProtocolError, Reason
from env_service.engine.base import EngineError
from env_service.results.run_folder import RunFolderBusyError, RunFolderMismatchError
from env_service.storage.signed_journal import CorruptFileError
from env_service.worlds.base import WorldUnavailableError

_NOT_OPENED = (
    RunFolderBusyError,
    RunFolderMismatchError,
    CorruptFileError,
    FormatError,
    EngineError,
    DataPackError,
    WorldUnavailableError,
    OSError,
)


@contextmanager
def opening_errors_named() -> Iterator[None]:
    """Gives the errors of House.open_run and House.open_practice their reasons: BAD_RUN for what
    was asked wrongly, RUN_NOT_OPENED for what cannot be had."""
    try:
        yield
    except _NOT_OPENED as error:
        raise ProtocolError(Reason.RUN_NOT_OPENED, str(error)) from error
    except ValueError as error:
        raise ProtocolError(Reason.BAD_RUN, str(error)) from error
