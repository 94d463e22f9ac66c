"""``houseguest actplan lint``: what is wrong with definitions of activities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.options import json_option, print_json
from env_service.domain import text

if TYPE_CHECKING:
    from env_service.worlds.activity.lint_findings import Finding

_SEVERITIES = ("error", "warning", "note")

_EXAMPLES = """\b
Examples:
  houseguest actplan lint
  houseguest actplan lint problem0.bddl definitions/
  houseguest actplan lint --corrected --notes
  houseguest actplan lint --only dropped-goal --json
"""


@click.command("lint", epilog=_EXAMPLES)
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--notes", is_flag=True, help="Also show findings that are harmless or perhaps intended."
)
@click.option(
    "--only",
    multiple=True,
    metavar="CHECK",
    help="Show only findings of this check; may be repeated.",
)
@click.option(
    "--corrected", is_flag=True, help="Correct the known defects of published files first."
)
@json_option
def lint_command(
    *, files: Sequence[Path], notes: bool, only: Sequence[str], corrected: bool, as_json: bool
) -> int:
    """Check BDDL definitions, by default those of the data pack.

    Each finding has its position and a fix. An error means that the goal cannot be evaluated or
    reached. A warning means that the definition probably says something unintended. A note is
    harmless, or may be intended. Exit status 1 if there is an error or a warning.
    """
    from env_service.suites.actplan.overlay.lint import definitions, lint_files

    _check_names(only)
    paths = definitions(files or [_published()])
    if not paths:
        raise Misuse("No *.bddl file found; name files, or folders that contain some")
    found = lint_files(paths, corrected=corrected)
    shown = [each for each in found if _wanted(each, only, notes=notes)]
    if as_json:
        counted = Counter(each.check.value for each in found)
        print_json(
            {
                "files": len(paths),
                "findings": [_document(each) for each in shown],
                "counts": dict(sorted(counted.items())),
            }
        )
    else:
        _print_summary(paths, found, shown)
    return PROBLEM if any(each.severity.value != "note" for each in shown) else 0


def _check_names(only: Iterable[str]) -> None:
    from env_service.domain.names import UnknownNameError
    from env_service.worlds.activity.lint_findings import Check

    known = [each.value for each in Check]
    for name in only:
        if name not in known:
            raise UnknownNameError("check", name, known)


def _published() -> Path:
    from env_service.datasets.pack import open_pack
    from env_service.suites.actplan.dataset.published_files import PACK

    pattern = "bddl/activity_definitions/*/problem*.bddl"
    pack = open_pack(PACK)
    return pack.path(pack.require([pattern])[0]).parents[1]


def _wanted(finding: Finding, only: Sequence[str], *, notes: bool) -> bool:
    if only:
        return finding.check.value in only
    return notes or finding.severity.value != "note"


def _print_summary(
    paths: Sequence[Path], found: Sequence[Finding], shown: Sequence[Finding]
) -> None:
    for each in shown:
        place = f"{each.source}:{each.line}:{each.column}" if each.line else each.source
        kind = f"{each.severity.value} {each.check.value}"
        click.echo(f"{place}: {kind}: {each.what}; {each.mend}")
    found_of = Counter(each.severity.value for each in found)
    numbers = ", ".join(text.counted(found_of[name], name) for name in _SEVERITIES)
    click.echo(f"{text.counted(len(paths), 'file')}: {numbers}")


def _document(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check.value,
        "severity": finding.severity.value,
        "source": finding.source,
        "line": finding.line,
        "column": finding.column,
        "what": finding.what,
        "mend": finding.mend,
    }
