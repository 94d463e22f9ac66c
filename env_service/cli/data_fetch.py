"""``houseguest data fetch``: downloads a pack."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.data_text import count_text, listed, size_text
from env_service.cli.errors import PROBLEM, Failure, Interrupted, Misuse
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.datasets.fetching import FetchOptions, FetchReport
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.survey import Survey

_EXAMPLES = """\b
Examples:
  houseguest data fetch ithor
  houseguest data fetch ithor --yes
  houseguest data fetch ithor --mirror https://mirror.example.org/data

\b
A mirror serves a file of a pack at BASE/REPOSITORY/COMMIT/PATH, as in
  https://mirror.example.org/data/owner/name/<full commit>/path/of/file
"""


@click.command("fetch", short_help="Download what a pack lacks.", epilog=_EXAMPLES)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Download without asking.")
@click.option(
    "--mirror",
    metavar="BASE",
    envvar="HOUSEGUEST_DATA_MIRROR",
    default="",
    help="Download from there.  [default: HOUSEGUEST_DATA_MIRROR, or upstream]",
)
@json_option
def fetch_command(*, name: str, yes: bool, mirror: str, as_json: bool) -> int:
    """Download what a pack lacks, after showing its source, licence and size.

    Files that are here and right are left alone; those that are modified or damaged are
    replaced. Each file is checked before it is put in place. After an interruption the same
    command goes on. Exit status 1 when a file could not be had.
    """
    from env_service.datasets.fetching import FetchOptions, FetchReport, check_mirror
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.registry import definition

    folder = PackFolder(definition(name))
    options = FetchOptions(check_mirror(mirror))
    found = _survey(folder)
    if found.wanting():
        _show(folder, found, options)
        if not yes:
            _ask(as_json=as_json)
        report = _fetch(folder, found, options)
    else:
        folder.refresh()
        report = FetchReport(0, {}, 0)
    if as_json:
        print_json(_document(folder, report))
    else:
        _tell(folder, report)
    return PROBLEM if report.failed else 0


def _survey(folder: PackFolder) -> Survey:
    """What is here; a damaged receipt is mended on the way."""
    from env_service.datasets.errors import DataPackCorruptError

    try:
        return folder.survey()
    except DataPackCorruptError as error:
        click.echo(str(error), err=True)
        with folder.writing() as writer:
            return writer.survey


def _show(folder: PackFolder, found: Survey, options: FetchOptions) -> None:
    """Says what is about to be downloaded."""
    from env_service.datasets.fetching import UPSTREAM
    from env_service.datasets.survey import OTHER_BYTES

    pack, wanted = folder.definition, found.wanting()
    replaced = ", to be replaced" if found.paths(*OTHER_BYTES) else ""
    lines = (
        f"{pack.name}: {pack.purpose}",
        f"  source   {pack.page}",
        f"  licence  {pack.licence}, copyright {pack.copyright}",
        f"  here     {found.label}{replaced}",
        f"  size     {size_text(sum(file.size for file in wanted))} in {count_text(len(wanted))}",
        f"  through  {options.mirror or UPSTREAM}",
        f"  to       {folder.path}",
    )
    click.echo("\n".join(lines), err=True)


def _ask(*, as_json: bool) -> None:
    """Raises Misuse where there is nobody to ask, and Failure for a no."""
    if as_json or not sys.stdin.isatty():
        raise Misuse("there is nobody to ask: --yes downloads without asking.", kind="NoConsent")
    if not click.confirm("Download it?", err=True):
        raise Failure("nothing was downloaded.", kind="Declined")


def _fetch(folder: PackFolder, found: Survey, options: FetchOptions) -> FetchReport:
    from env_service.cli.output import progress
    from env_service.datasets.fetching import fetch

    try:
        with progress("fetching", len(found.wanting())) as advance:
            return fetch(folder, options, advance)
    except KeyboardInterrupt:
        total = len(folder.definition.files)
        here = total - len(folder.survey().wanting())
        raise Interrupted(
            f"interrupted: {here} of {counted(total, 'file')} are here; the same command"
            f" gets the others."
        ) from None


def _document(folder: PackFolder, report: FetchReport) -> dict[str, Any]:
    return {
        "name": folder.definition.name,
        "path": str(folder.path),
        "state": folder.survey().label,
        "fetched": report.fetched,
        "failed": [{"file": file, "problem": why} for file, why in report.failed.items()],
        "untried": report.untried,
    }


def _tell(folder: PackFolder, report: FetchReport) -> None:
    problems = [f"{file}: {why}" for file, why in report.failed.items()]
    for line in listed("not fetched", problems):
        click.echo(line, err=True)
    if report.untried:
        click.echo(f"not tried: {count_text(report.untried)}, after so many failures", err=True)
    label = f"{folder.definition.name}: {folder.survey().label}, in {folder.path}"
    click.echo(f"{label}; {count_text(report.fetched)} fetched")
    if problems:
        click.echo(
            "The same command tries again what is missing; --mirror gets it elsewhere, and"
            f" houseguest data import {folder.definition.name} DIR takes a copy.",
            err=True,
        )
