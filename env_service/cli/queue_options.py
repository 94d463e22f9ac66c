"""What the commands of a queue share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from env_service.submissions.queue import Queue

F = TypeVar("F", bound=Callable[..., Any])


def queue_option(command: F) -> F:
    """Adds ``--queue FOLDER``; the command's parameter is ``folder: Path``."""
    return click.option(
        "--queue",
        "folder",
        default=Path("queue"),
        show_default=True,
        type=click.Path(file_okay=False, path_type=Path),
        help="The queue's folder.",
    )(command)


def open_queue(folder: Path) -> Queue:
    """The queue in a folder, which is made where there is none."""
    from env_service.submissions.queue import Queue

    return Queue(folder)
