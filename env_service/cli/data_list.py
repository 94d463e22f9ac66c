"""``houseguest data list`` and ``path``: what packs there are, and where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.data_text import size_text

if TYPE_CHECKING:
    from env_service.datasets.folder import PackFolder

_LIST_EXAMPLES = """\b
Examples:
  houseguest data list
  houseguest data list --json | jq '.packs[] | select(.state != "complete") | .name'

\b
State: absent, partial or complete; "modified" counts files that were imported though they are
not as upstream has them, "corrupt" those that were damaged since: see houseguest data verify.
"""

_PATH_EXAMPLES = """\b
Examples:
  houseguest data path ithor
  ls "$(houseguest data path asgard)"
"""


@click.command("list", short_help="List packs and what is here.", epilog=_LIST_EXAMPLES)
@json_option
def list_command(*, as_json: bool) -> None:
    """List the data packs: what for, licence, size, and what of each is here."""
    from env_service.cli.output import print_table
    from env_service.datasets.folder import PackFolder, data_root
    from env_service.datasets.registry import definition, pack_names

    packs = [_document(PackFolder(definition(name))) for name in pack_names()]
    if as_json:
        print_json({"root": str(data_root()), "packs": packs})
        return
    print_table(
        ("pack", "state", "#files", "#size", "licence"),
        [
            (
                pack["name"],
                pack["state"],
                f"{pack['files']:,}",
                size_text(pack["bytes"]),
                pack["licence"],
            )
            for pack in packs
        ],
    )
    for pack in packs:
        click.echo(f"{pack['name']}: {pack['purpose']}")
        if pack["state"] != "absent":
            click.echo(f"  in {pack['path']}")
    if all(pack["state"] == "absent" for pack in packs):
        click.echo(f"None is here yet; they will lie in {data_root()}.")


@click.command("path", short_help="Print where a pack lies.", epilog=_PATH_EXAMPLES)
@click.argument("name")
@json_option
def path_command(*, name: str, as_json: bool) -> None:
    """Print the folder of a pack, in which its files lie as upstream has them.

    Exit status 1 where nothing of it is here.
    """
    from env_service.datasets.errors import DataPackMissingError
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.registry import definition

    folder = PackFolder(definition(name))
    if not folder.survey().held:
        raise DataPackMissingError(name, (), absent=True)
    if as_json:
        print_json({"name": name, "path": str(folder.path)})
    else:
        click.echo(folder.path)


def _document(folder: PackFolder) -> dict[str, Any]:
    from env_service.datasets.errors import DataPackCorruptError
    from env_service.datasets.survey import FileState

    pack = folder.definition
    document = {
        "name": pack.name,
        "purpose": pack.purpose,
        "licence": pack.licence,
        "copyright": pack.copyright,
        "repository": pack.repository,
        "commit": pack.commit,
        "files": len(pack.files),
        "bytes": pack.size,
        "path": str(folder.path),
    }
    try:
        survey = folder.survey()
    except DataPackCorruptError as error:
        return {
            **document,
            "state": "damaged receipt",
            "held": 0,
            "archived": 0,
            "problem": str(error),
        }
    return {
        **document,
        "state": survey.label,
        "held": survey.usable(),
        "archived": survey.usable(pinned=False),
        "modified": list(survey.paths(FileState.MODIFIED)),
        "corrupt": list(survey.paths(FileState.CORRUPT)),
    }
