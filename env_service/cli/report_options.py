"""What ``report`` and ``compare`` share on the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.run_paths import run_folders
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.results.reading import RunText
    from env_service.results.report.model import Document

F = TypeVar("F", bound=Callable[..., Any])

FORMATS = ("html", "csv", "svg", "png", "text")


def out_option(default: str) -> Callable[[F], F]:
    """Adds ``--out``; the command's parameter is ``out: Path | None``."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help=f"Where the files go.  {default}",
    )


def format_option(command: F) -> F:
    """Adds ``--format``; the command's parameter is ``formats: tuple[str, ...]``."""
    return click.option(
        "--format",
        "formats",
        default=",".join(FORMATS),
        metavar="FORMAT[,…]",
        callback=_formats,
        help=f"Some of {', '.join(FORMATS)}.  [default: all]",
    )(command)


def suite_option(command: F) -> F:
    """Adds ``--suite``; the command's parameter is ``suite: str | None``."""
    return click.option(
        "--suite",
        metavar="MODULE:CLASS",
        help="Load this suite's design, for one not built in.",
    )(command)


def read_runs(paths: Sequence[Path]) -> list[RunText]:
    """The runs at these paths, or right below them. Raises click.UsageError for none."""
    from env_service.results.reading import read_run

    return [read_run(path.resolve()) for path in run_folders(paths)]


def show_text(
    document: Document, files: Sequence[Path], folder: Path, formats: Collection[str]
) -> None:
    """Prints the report, where text was asked for, and where its files are."""
    from rich.console import Console

    from env_service.domain.printable import safe
    from env_service.results.report.text import as_text

    if "text" in formats:
        Console().print(as_text(document), crop=False)
        click.echo()
    if files:
        more = f" and {counted(len(files) - 1, 'more file')}" if len(files) > 1 else ""
        click.echo(safe(f"{files[0]}{more} in {folder}" if more else str(files[0])))


def _formats(_context: click.Context, _parameter: click.Parameter, given: str) -> tuple[str, ...]:
    from env_service.domain.names import UnknownNameError

    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in names:
        if name not in FORMATS:
            raise UnknownNameError("format", name, FORMATS)
    if not names:
        raise click.BadParameter(f"name at least one of {', '.join(FORMATS)}.")
    return names
