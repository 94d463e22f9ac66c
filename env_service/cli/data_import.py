"""``houseguest data import``: takes a pack from a copy that the user has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.data_text import count_text, listed
from env_service.cli.errors import Interrupted

if TYPE_CHECKING:
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.importing import ImportReport
    from env_service.datasets.source import Source

_EXAMPLES = """\b
Examples:
  houseguest data import ithor ~/rl_ai2thor
  houseguest data import alfred /media/stick/alfred
  houseguest data import actplan ~/Downloads/ActPlan-1K.zip
"""


@click.command("import", short_help="Copy a pack from a folder or a zip file.", epilog=_EXAMPLES)
@click.argument("name")
@click.argument("place", metavar="DIR_OR_ZIP", type=click.Path(path_type=Path))
@json_option
def import_command(*, name: str, place: Path, as_json: bool) -> None:
    """Copy a pack, or a part of it, from a folder or a zip file in upstream's layout, such as a
    clone.

    Only files of the pack are taken. One that is not as upstream has it at the pinned commit
    is taken with a warning, and results that were made with it name it as modified; it never
    replaces one that is here as upstream has it. Of a pack whose authors publish more in an
    archive, those files are taken too: what they are is recorded, as nobody has their checksums.
    """
    from env_service.cli.output import progress
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.importing import import_source
    from env_service.datasets.registry import definition
    from env_service.datasets.source import read_source

    pack = definition(name)
    source = read_source(pack, place)
    folder = PackFolder(pack)
    try:
        with progress("importing", len(source.files)) as advance:
            report = import_source(folder, source, advance)
    except KeyboardInterrupt:
        raise Interrupted("interrupted: the same command imports the others.") from None
    if as_json:
        print_json(_document(folder, source, report))
    else:
        _tell(folder, source, report)


def _document(folder: PackFolder, source: Source, report: ImportReport) -> dict[str, Any]:
    return {
        "name": folder.definition.name,
        "path": str(folder.path),
        "state": folder.survey().label,
        "copied": report.copied,
        "kept": report.kept,
        "modified": list(report.modified),
        "left_out": list(source.others),
    }


def _tell(folder: PackFolder, source: Source, report: ImportReport) -> None:
    from env_service.datasets.errors import named

    name = folder.definition.name
    for line in listed("warning: not as upstream has it", report.modified):
        click.echo(line, err=True)
    if report.modified:
        click.echo(
            f"Results that are made with it say so; houseguest data fetch {name} gets upstream's.",
            err=True,
        )
    if source.others:
        count = count_text(len(source.others))
        click.echo(f"left out, as no part of the pack: {count}: {named(source.others)}", err=True)
    kept = f", {report.kept:,} were here already" if report.kept else ""
    label = f"{name}: {folder.survey().label}, in {folder.path}"
    click.echo(f"{label}; {count_text(report.copied)} copied{kept}")
