"""Runs as a user names them: a run, several runs, or folders of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

RUNS = "RUN|RUNS_DIR..."
"""How the help calls them."""


def run_arguments(
    metavar: str = RUNS, *, default: Path | None = None, files: bool = False
) -> Callable[[F], F]:
    """Adds the runs; the command's parameter is ``paths: tuple[Path, ...]``, not empty.

    ``default`` is meant where none is named. ``files``: files may be named, too.
    """
    return click.argument(
        "paths",
        nargs=-1,
        required=default is None,
        default=None if default is None else (default,),
        metavar=metavar if default is None else f"[{metavar}]",
        type=click.Path(exists=True, file_okay=files, path_type=Path),
    )


def run_folders(paths: Sequence[Path]) -> list[Path]:
    """The folders of the runs at these paths, or right below them, each once and as it was named.

    Raises click.UsageError for a path without any.
    """
    from env_service.results.reading import find_runs, is_run

    found: dict[Path, Path] = {}
    for path in paths:
        runs = [path] if is_run(path) else find_runs(path)
        if not runs:
            raise click.UsageError(f"{path} is no run's folder, and there are none in it.")
        for run in runs:
            found.setdefault(run.resolve(), run)
    return list(found.values())


def is_one_run(paths: Sequence[Path]) -> bool:
    """Whether a single run was named, rather than several or a folder of runs."""
    from env_service.results.reading import is_run

    return len(paths) == 1 and is_run(paths[0])
