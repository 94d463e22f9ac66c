"""``houseguest index``: run folders in a SQL database, for searching."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from env_service.cli.errors import PROBLEM, Failure, Interrupted, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import count_text, progress
from env_service.domain.text import safe

if TYPE_CHECKING:
    from env_service.index.store import Index
    from env_service.index.sync import SyncReport

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_RUNS = Path("runs")
VARIABLE = "HOUSEGUEST_INDEX"
"""Environment variable: where the index is, in place of a file in the folder of runs."""
WATCH_SECONDS = 0.5
"""Between two looks at the folder."""
_QUIET_SECONDS = 1.0
"""After which progress is shown."""

_EXAMPLES = """\b
Examples:
  houseguest index                           every run in ./runs
  houseguest index results/2026              the runs of another folder
  houseguest index --watch                   follow runs in progress
  houseguest index --rebuild                 read every run again
  houseguest index --index /tmp/index.sqlite3
  houseguest index --index postgresql+psycopg://me@db.example/houseguest
  houseguest index --export-annotations notes.csv
  houseguest index --json | jq .problems
"""


def index_options(command: Command) -> Command:
    """Adds the argument RUNS_DIR and the option --index, for `opened_index`."""
    location = click.option(
        "--index",
        "location",
        envvar=VARIABLE,
        default="",
        metavar="FILE|URL",
        help=f"SQLite file or PostgreSQL URL; also {VARIABLE}.  [default: a file in RUNS_DIR]",
    )
    folder = click.argument(
        "folder",
        default=DEFAULT_RUNS,
        metavar="[RUNS_DIR]",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
    )
    return folder(location(command))


@click.command("index", epilog=_EXAMPLES)
@index_options
@click.option("--rebuild", is_flag=True, help="Read every run again; annotations stay.")
@click.option("--watch", is_flag=True, help="Keep the index up to date until Ctrl-C.")
@click.option(
    "--export-annotations",
    "annotations",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write people's annotations of episodes to a .csv or .json file.",
)
@json_option
def index_command(  # noqa: PLR0913 - one parameter an option
    folder: Path,
    *,
    location: str,
    rebuild: bool,
    watch: bool,
    annotations: Path | None,
    as_json: bool,
) -> int:
    """Read runs into a database, so that you can search them.

    The first time, every run is read; later, only what changed. Run folders are never written to,
    apart from the index's file next to the runs. You can delete the index at any time, but you
    then lose the annotations in it: export them first.

    Exit status 1 if a run cannot be read; the others are in the index.
    """
    if watch and as_json:
        raise Misuse("--watch prints lines for people: leave out --json, or call without --watch.")
    try:
        with opened_index(folder, location, rebuild=rebuild) as index:
            report = synchronize(index)
            if annotations is not None:
                _export(index, annotations)
            _print(index, report, as_json=as_json)
            if watch:
                _watch(index, report)
    except KeyboardInterrupt:
        if watch:
            return 0
        kept = "Interrupted. What was read is kept, and the same command continues."
        raise Interrupted(kept) from None
    return PROBLEM if report.problems else 0


@contextmanager
def opened_index(folder: Path, location: str = "", *, rebuild: bool = False) -> Iterator[Index]:
    """The index of a folder of runs, for a command. Raises Failure if the extra ``view`` is not
    installed, and Misuse if the folder is a run."""
    from env_service.results.run_reader import is_run

    if any(find_spec(name) is None for name in ("sqlalchemy", "alembic")):
        raise Failure(
            "The index needs SQLAlchemy and Alembic: pip install 'houseguest[view]'",
            kind="ExtraMissing",
        )
    from env_service.index.store import Index

    if is_run(folder):
        raise Misuse(f"{folder} is one run: name the folder that contains it.")
    with Index.open(folder, location, rebuild=rebuild) as index:
        yield index


def synchronize(index: Index, only: Collection[str] | None = None) -> SyncReport:
    """Reads what changed, of all runs or ``only`` of some, with progress if that takes long."""
    began = time.monotonic()
    with ExitStack() as stack:
        shown = 0
        advance = None

        def show(done: int, total: int) -> None:
            nonlocal advance, shown
            if advance is None and time.monotonic() - began > _QUIET_SECONDS:
                advance = stack.enter_context(progress("reading runs", total))
            while advance is not None and shown < done:
                advance()
                shown += 1

        return index.sync(show, only=only)


def _export(index: Index, path: Path) -> None:
    from env_service.index.annotations import annotations_of, as_csv

    rows = annotations_of(index)
    if path.suffix == ".csv":
        text = as_csv(rows)
    elif path.suffix == ".json":
        text = json.dumps([asdict(each) for each in rows], indent=2) + "\n"
    else:
        raise Misuse(f"{path} is neither a .csv nor a .json file: name such a file.")
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise Misuse(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def _watch(index: Index, report: SyncReport) -> None:
    known = report.problems
    while True:
        time.sleep(WATCH_SECONDS)
        report = index.sync()
        if report or report.problems != known:
            known = report.problems
            _print(index, report, as_json=False)


def _print(index: Index, report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        print_json({"index": index.place, **report.to_json()})
        return
    counts = ", ".join(
        f"{len(names)} {word}"
        for names, word in (
            (report.new, "new"),
            (report.changed, "changed"),
            (report.vanished, "vanished"),
        )
    )
    read = f"read {count_text(report.episodes, 'episode')}, {count_text(report.steps, 'step')}"
    click.echo(safe(f"{count_text(report.runs, 'run')}: {counts}; {read}; {index.place}"))
    for run, problem in report.problems:
        click.echo(safe(f"cannot be read: {run}: {problem}"), err=True)
    for run, note in report.notes:
        click.echo(safe(f"incomplete: {run}: {note}"), err=True)
