"""``houseguest data verify``: whether the packs are what they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.data_text import count_text, listed
from env_service.cli.errors import PROBLEM

if TYPE_CHECKING:
    from env_service.datasets.checking import PackCheck

_EXAMPLES = """\b
Examples:
  houseguest data verify
  houseguest data verify ithor
  houseguest data verify --json | jq '.packs[] | select(.good | not)'
"""

_ARCHIVE_TOO = "; what is of the authors' archive, by importing that again"


@click.command("verify", short_help="Check every byte of packs.", epilog=_EXAMPLES)
@click.argument("name", required=False)
@json_option
def verify_command(*, name: str | None, as_json: bool) -> int:
    """Read every file of a pack again, or of all that are here, and check its bytes.

    Exit status 1 when a file is damaged, lost, or not as upstream has it. That a pack is
    partial is told, and no problem: a suite says which files it lacks.
    """
    from env_service.cli.output import progress
    from env_service.datasets.checking import check
    from env_service.datasets.errors import DataPackMissingError
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.registry import definition, pack_names

    folders = [PackFolder(definition(each)) for each in ([name] if name else pack_names())]
    here = [folder for folder in folders if folder.path.is_dir()]
    if name and not here:
        raise DataPackMissingError(name, (), absent=True)
    with progress("verifying", sum(folder.count() for folder in here)) as advance:
        checks = [check(folder, advance) for folder in here]
    if as_json:
        print_json({"packs": [_document(each) for each in checks]})
    else:
        for each in checks:
            _tell(each)
        if not checks:
            click.echo("No data pack is here: houseguest data list")
    return 0 if all(each.good for each in checks) else PROBLEM


def _document(found: PackCheck) -> dict[str, Any]:
    return {
        "name": found.folder.definition.name,
        "path": str(found.folder.path),
        "state": found.survey.label,
        "good": found.good,
        "files": len(found.survey.states),
        "held": len(found.survey.held),
        "corrupt": list(found.corrupt),
        "missing": list(found.survey.lost),
        "modified": list(found.modified),
        "receipt": found.receipt_problem,
    }


def _tell(found: PackCheck) -> None:
    name = found.folder.definition.name
    if found.receipt_problem:
        click.echo(f"{name}: {found.receipt_problem}", err=True)
    problems = {
        "corrupt": found.corrupt,
        "missing": found.survey.lost,
        "modified": found.modified,
    }
    for label, paths in problems.items():
        for line in listed(f"{name}: {label}", paths):
            click.echo(line, err=True)
    if any(problems.values()):
        click.echo(
            f"{name}: mend it, which gets only what is wrong or missing: houseguest data fetch"
            f" {name}{_ARCHIVE_TOO if found.folder.definition.archive else ''}",
            err=True,
        )
    held = count_text(len(found.survey.held))
    verdict = "all as upstream has them" if found.good else "not all is well"
    click.echo(f"{name}: {found.survey.label}; {held} in {found.folder.path}, {verdict}")
