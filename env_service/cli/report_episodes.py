"""The episodes of a report: an export of the viewer in the report's folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.errors import Misuse
from env_service.cli.index import opened_index, synchronize
from env_service.cli.output import progress
from env_service.domain.text import safe

if TYPE_CHECKING:
    from env_service.results.run_reader import RunContents

EPISODES = "episodes"
"""The folder of the export, in the report's folder."""
MOST_EPISODES = 500
"""Episodes that a report writes unless the user asks for more."""
_QUIET = 200
"""Episodes that are written without showing progress."""
_NEEDED = ("sqlalchemy", "alembic", "starlette", "uvicorn")


def has_episodes(runs: Sequence[RunContents], *, wanted: bool | None) -> bool:
    """Whether a report writes its episodes; ``wanted`` is None if the user did not say.

    Raises Misuse if the user wants them and that is not possible.
    """
    if wanted is None and sum(len(run.episodes) for run in runs) > MOST_EPISODES:
        return False
    problem = ""
    if any(find_spec(name) is None for name in _NEEDED):
        problem = "it needs the viewer: pip install 'houseguest[view]'"
    elif len({run.path.parent for run in runs}) > 1:
        problem = "the runs are in several folders"
    if wanted and problem:
        raise Misuse(f"The report cannot contain its episodes: {problem}.")
    return not problem and wanted is not False


def write_episodes(runs: Sequence[RunContents], out: Path) -> bool:
    """Writes the episodes without replays. False, after a warning, if that is not possible."""
    from env_service.index.store import IndexUnavailableError
    from env_service.view.export import ExportError, export_view

    names = [run.path.name for run in runs]
    try:
        with opened_index(runs[0].path.parent) as index:
            synchronize(index, names)
            export_view(index, out, _stage, runs=names, replay=False)
    except (ExportError, IndexUnavailableError) as error:
        click.echo(safe(f"warning: the report has no episodes: {error}"), err=True)
        return False
    return True


def _stage(label: str, total: int) -> AbstractContextManager[Callable[[], None]]:
    return progress(label, total) if total > _QUIET else nullcontext(lambda: None)
