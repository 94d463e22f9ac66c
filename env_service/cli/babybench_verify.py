"""``houseguest babybench verify``: checks a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.common import json_option, print_json, whole_number
from env_service.cli.data_text import count_text, listed
from env_service.cli.errors import PROBLEM, Misuse
from env_service.suites.babybench.dataset.manifest import Manifest, ManifestError, read_manifest

if TYPE_CHECKING:
    from env_service.suites.babybench.dataset.verifying import Finding

_EXAMPLES = """\b
Examples:
  houseguest babybench verify predict
  houseguest babybench verify predict --regenerate 100
"""


@click.command("verify", epilog=_EXAMPLES)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@whole_number("--regenerate", "Make so many rows anew, evenly spread, and compare them.")
@json_option
def verify_command(*, folder: Path, regenerate: int, as_json: bool) -> int:
    """Check that a data set is what its manifest says.

    Every file is read whole: its SHA-256, how many rows of each level it has, and the digest
    of their content, which is the same for all formats. Exit status 1 where something differs.
    """
    from env_service.suites.babybench.dataset.verifying import check_files, check_sample

    try:
        manifest = read_manifest(folder)
    except ManifestError as error:
        raise Misuse(str(error), kind="ManifestError") from error
    findings = list(check_files(folder, manifest))
    if regenerate and not findings:
        findings += check_sample(folder, manifest, regenerate)
    _tell(folder, manifest, findings, as_json=as_json)
    return PROBLEM if findings else 0


def _tell(folder: Path, manifest: Manifest, findings: list[Finding], *, as_json: bool) -> None:
    rows = sum(manifest.content.rows.values())
    if as_json:
        found = [{"place": each.place, "problem": each.problem} for each in findings]
        digest = manifest.content.digest
        told = {"folder": str(folder), "rows": rows, "content_sha256": digest, "findings": found}
        print_json(told)
        return
    for line in listed("differs", (f"{each.place}: {each.problem}" for each in findings)):
        click.echo(line, err=True)
    if not findings:
        files = ", ".join(manifest.files)
        click.echo(f"{files}: {count_text(rows, 'row')}, as the manifest says")
