"""``houseguest data``: download, import and check third-party data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Failure, Interrupted, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import count_text, listed, size_text
from env_service.domain.text import counted

if TYPE_CHECKING:
    from env_service.datasets.fetch import FetchOptions, FetchReport
    from env_service.datasets.folder import PackCheck, PackFolder
    from env_service.datasets.pack_import import ImportReport, PackSource
    from env_service.datasets.survey import PackSurvey


# --- ``houseguest data list`` and ``path``: packs and their folders

_LIST_EXAMPLES = """\b
Examples:
  houseguest data list
  houseguest data list --json | jq '.packs[] | select(.state != "complete") | .name'

\b
State: absent, partial or complete. "modified" counts imported files that differ from upstream;
"corrupt" counts files damaged later. See houseguest data verify.
"""

_PATH_EXAMPLES = """\b
Examples:
  houseguest data path NAME
  ls "$(houseguest data path NAME)"
"""


@click.command("list", short_help="List packs and their state.", epilog=_LIST_EXAMPLES)
@json_option
def list_command(*, as_json: bool) -> None:
    """List the data packs with their purpose, licence, size and state."""
    from env_service.cli.output import print_table
    from env_service.datasets.folder import PackFolder, data_root
    from env_service.datasets.registry import definition, pack_names

    packs = [_list_document(PackFolder(definition(name))) for name in pack_names()]
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
        click.echo(f"No data pack is installed yet. Packs go to {data_root()}.")


@click.command("path", short_help="Print a pack's folder.", epilog=_PATH_EXAMPLES)
@click.argument("name")
@json_option
def path_command(*, name: str, as_json: bool) -> None:
    """Print the folder of a pack. Its files have the same paths as upstream.

    Exit status 1 if no file of it is installed.
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


def _list_document(folder: PackFolder) -> dict[str, Any]:
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


# --- ``houseguest data fetch``: downloads a pack

_FETCH_EXAMPLES = """\b
Examples:
  houseguest data fetch NAME
  houseguest data fetch NAME --yes
  houseguest data fetch NAME --mirror https://mirror.example.org/data

\b
A mirror has the files of a pack at BASE/REPOSITORY/COMMIT/PATH, for example
  https://mirror.example.org/data/owner/name/<full commit>/path/of/file
"""


@click.command("fetch", short_help="Download a pack's missing files.", epilog=_FETCH_EXAMPLES)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Download without asking.")
@click.option(
    "--mirror",
    metavar="BASE",
    envvar="HOUSEGUEST_DATA_MIRROR",
    default="",
    help="Download from this mirror.  [default: HOUSEGUEST_DATA_MIRROR, or upstream]",
)
@json_option
def fetch_command(*, name: str, yes: bool, mirror: str, as_json: bool) -> int:
    """Download a pack's missing files, after showing its source, licence and size.

    Correct files stay; modified or damaged files are replaced. Each file is checked before it is
    installed. After an interruption, run the same command to continue. Exit status 1 if a file is
    unavailable.
    """
    from env_service.datasets.fetch import FetchOptions, FetchReport, check_mirror
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
        print_json(_fetch_document(folder, report))
    else:
        _print_fetch(folder, report)
    return PROBLEM if report.failed else 0


def _survey(folder: PackFolder) -> PackSurvey:
    """The state of the pack's files; repairs a damaged receipt first."""
    from env_service.datasets.errors import DataPackCorruptError

    try:
        return folder.survey()
    except DataPackCorruptError as error:
        click.echo(str(error), err=True)
        with folder.writing() as writer:
            return writer.survey


def _show(folder: PackFolder, found: PackSurvey, options: FetchOptions) -> None:
    """Prints what will be downloaded."""
    from env_service.datasets.fetch import UPSTREAM
    from env_service.datasets.survey import OTHER_BYTES

    pack, wanted = folder.definition, found.wanting()
    replaced = ", to be replaced" if found.paths(*OTHER_BYTES) else ""
    lines = (
        f"{pack.name}: {pack.purpose}",
        f"  source   {pack.page}",
        f"  licence  {pack.licence}, copyright {pack.copyright}",
        f"  state    {found.label}{replaced}",
        f"  size     {size_text(sum(file.size for file in wanted))} in {count_text(len(wanted))}",
        f"  through  {options.mirror or UPSTREAM}",
        f"  to       {folder.path}",
    )
    click.echo("\n".join(lines), err=True)


def _ask(*, as_json: bool) -> None:
    """Asks for confirmation. Raises Misuse without a terminal, and Failure if the user declines."""
    if as_json or not sys.stdin.isatty():
        raise Misuse(
            "Cannot ask for confirmation without a terminal: pass --yes to download"
            " without asking.",
            kind="NoConsent",
        )
    if not click.confirm("Download it?", err=True):
        raise Failure("Nothing was downloaded.", kind="Declined")


def _fetch(folder: PackFolder, found: PackSurvey, options: FetchOptions) -> FetchReport:
    from env_service.cli.output import progress
    from env_service.datasets.fetch import fetch

    try:
        with progress("fetching", len(found.wanting())) as advance:
            return fetch(folder, options, advance)
    except KeyboardInterrupt:
        total = len(folder.definition.files)
        here = total - len(folder.survey().wanting())
        raise Interrupted(
            f"Interrupted: {here} of {counted(total, 'file')} are installed. Run the same"
            " command to get the others."
        ) from None


def _fetch_document(folder: PackFolder, report: FetchReport) -> dict[str, Any]:
    return {
        "name": folder.definition.name,
        "path": str(folder.path),
        "state": folder.survey().label,
        "fetched": report.fetched,
        "failed": [{"file": file, "problem": why} for file, why in report.failed.items()],
        "untried": report.untried,
    }


def _print_fetch(folder: PackFolder, report: FetchReport) -> None:
    problems = [f"{file}: {why}" for file, why in report.failed.items()]
    for line in listed("not fetched", problems):
        click.echo(line, err=True)
    if report.untried:
        click.echo(f"not tried: {count_text(report.untried)}, after so many failures", err=True)
    label = f"{folder.definition.name}: {folder.survey().label}, in {folder.path}"
    click.echo(f"{label}; {count_text(report.fetched)} fetched")
    if problems:
        click.echo(
            "Run the same command to retry; --mirror downloads from elsewhere, and"
            f" houseguest data import {folder.definition.name} DIR copies from a folder.",
            err=True,
        )


# --- ``houseguest data import``: copies a pack from the user's copy

_IMPORT_EXAMPLES = """\b
Examples:
  houseguest data import NAME ~/clones/upstream
  houseguest data import NAME /media/stick/upstream
  houseguest data import NAME ~/Downloads/upstream.zip
"""


@click.command(
    "import", short_help="Copy a pack from a folder or a zip file.", epilog=_IMPORT_EXAMPLES
)
@click.argument("name")
@click.argument("place", metavar="DIR_OR_ZIP", type=click.Path(path_type=Path))
@json_option
def import_command(*, name: str, place: Path, as_json: bool) -> None:
    """Copy a pack, or a part of it, from a folder or a zip file in upstream's layout, such as a
    clone.

    Only files of the pack are copied. A file that differs from upstream at the pinned commit is
    accepted with a warning, and results that use it name it as modified. It never replaces a
    correct file. If the authors publish more files in an archive, these are copied too; their
    checksums are recorded, because none are published.
    """
    from env_service.cli.output import progress
    from env_service.datasets.folder import PackFolder
    from env_service.datasets.pack_import import import_source, read_source
    from env_service.datasets.registry import definition

    pack = definition(name)
    source = read_source(pack, place)
    folder = PackFolder(pack)
    try:
        with progress("importing", len(source.files)) as advance:
            report = import_source(folder, source, advance)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted. Run the same command to import the other files.") from None
    if as_json:
        print_json(_import_document(folder, source, report))
    else:
        _print_import(folder, source, report)


def _import_document(
    folder: PackFolder, source: PackSource, report: ImportReport
) -> dict[str, Any]:
    return {
        "name": folder.definition.name,
        "path": str(folder.path),
        "state": folder.survey().label,
        "copied": report.copied,
        "kept": report.kept,
        "modified": list(report.modified),
        "left_out": list(source.others),
    }


def _print_import(folder: PackFolder, source: PackSource, report: ImportReport) -> None:
    from env_service.datasets.errors import named

    name = folder.definition.name
    for line in listed("warning: differs from upstream", report.modified):
        click.echo(line, err=True)
    if report.modified:
        click.echo(
            f"Results that use such files are marked. To get upstream's files: houseguest data"
            f" fetch {name}",
            err=True,
        )
    if source.others:
        count = count_text(len(source.others))
        click.echo(f"left out, not part of the pack: {count}: {named(source.others)}", err=True)
    kept = f", {report.kept:,} were installed already" if report.kept else ""
    label = f"{name}: {folder.survey().label}, in {folder.path}"
    click.echo(f"{label}; {count_text(report.copied)} copied{kept}")


# --- ``houseguest data verify``: checks the files of packs

_VERIFY_EXAMPLES = """\b
Examples:
  houseguest data verify
  houseguest data verify NAME
  houseguest data verify --json | jq '.packs[] | select(.good | not)'
"""

_ARCHIVE_TOO = "; for files from the authors' archive, import it again"


@click.command("verify", short_help="Check every byte of packs.", epilog=_VERIFY_EXAMPLES)
@click.argument("name", required=False)
@json_option
def verify_command(*, name: str | None, as_json: bool) -> int:
    """Read every file of a pack, or of all installed packs, and check its bytes.

    Exit status 1 if a file is damaged, lost, or differs from upstream. An incomplete pack is
    reported and is not an error: a suite that needs missing files names them.
    """
    from env_service.cli.output import progress
    from env_service.datasets.errors import DataPackMissingError
    from env_service.datasets.folder import PackFolder, check
    from env_service.datasets.registry import definition, pack_names

    folders = [PackFolder(definition(each)) for each in ([name] if name else pack_names())]
    here = [folder for folder in folders if folder.path.is_dir()]
    if name and not here:
        raise DataPackMissingError(name, (), absent=True)
    with progress("verifying", sum(folder.count() for folder in here)) as advance:
        checks = [check(folder, advance) for folder in here]
    if as_json:
        print_json({"packs": [_verify_document(each) for each in checks]})
    else:
        for each in checks:
            _print_verify(each)
        if not checks:
            click.echo("No data pack is installed. To see all packs: houseguest data list")
    return 0 if all(each.good for each in checks) else PROBLEM


def _verify_document(found: PackCheck) -> dict[str, Any]:
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


def _print_verify(found: PackCheck) -> None:
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
            f"{name}: to repair it, download the wrong or missing files: houseguest data fetch"
            f" {name}{_ARCHIVE_TOO if found.folder.definition.archive else ''}",
            err=True,
        )
    held = count_text(len(found.survey.held))
    verdict = "all equal to upstream" if found.good else "with problems"
    click.echo(f"{name}: {found.survey.label}; {held} in {found.folder.path}, {verdict}")


_EXAMPLES = """\b
Examples:
  houseguest data list
  houseguest data fetch NAME
  houseguest data import NAME ~/clones/upstream
  houseguest data verify
"""


@click.group("data", cls=CommandGroup, epilog=_EXAMPLES)
def data_command() -> None:
    """Download, import and check data packs: third-party data that suites need.

    A pack is a list of files in a public repository at one commit, each with its SHA-256.
    Packs are stored in your cache folder, or in HOUSEGUEST_DATA.
    """


for _command in (list_command, fetch_command, import_command, verify_command, path_command):
    data_command.add_command(_command)
