"""``houseguest verify``: whether a run can be believed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.domain.names import UnknownNameError
from env_service.results.findings import VerificationReport
from env_service.results.scoreboard import printable
from env_service.results.verification import verify
from env_service.suites.registry import SuiteLoadError

PROBLEMS = 1
"""Exit status where something is wrong; click's own for wrong usage is 2."""

_EXAMPLES = """\b
Examples:
  houseguest verify runs/babyai-random-0f3a…     everything, replay included
  houseguest verify RUN --no-replay              signatures, hashes and sums alone
  houseguest verify RUN --key 3b6a27bc…          signed by this key, and no other
  houseguest verify RUN --json | jq .problems
"""


def _key(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    del context, parameter
    if value is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a public key is 64 hex digits; a run's manifest names its own.")
    return value.lower() if value else None


@click.command("verify", epilog=_EXAMPLES)
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--replay/--no-replay",
    default=True,
    help="Play every episode again, where the suite is deterministic.  [default: replay]",
)
@click.option("--key", metavar="HEX", callback=_key, help="The public key to trust.")
@click.option("--suite", metavar="MODULE:CLASS", help="Load this suite, for one not built in.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def verify_command(
    run: Path, *, replay: bool, key: str | None, suite: str | None, as_json: bool
) -> None:
    """Check that a run was not changed, and that its scores are true.

    Without --key, the run is checked against the key that its own manifest names: that shows
    that it is of one piece, not whose it is. Exit status: 0 nothing is wrong, 1 problems were
    found, 2 wrong usage.
    """
    console = Console(stderr=True)
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("", total=None)
            report = verify(
                run,
                replay=replay,
                public_key=key,
                suite=suite,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
    except (UnknownNameError, SuiteLoadError) as error:
        raise click.UsageError(f"--suite: {error}") from error
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    else:
        _print(report)
    sys.exit(0 if report.good else PROBLEMS)


def _print(report: VerificationReport) -> None:
    console = Console(soft_wrap=True)
    for problem in report.problems:
        console.print(printable(f"✗ {problem}"), style="red")
    for note in report.notes:
        console.print(printable(f"• {note}"), style="yellow")
    checked = (
        f"{report.episodes} episodes, {report.exchanges} exchanges, {report.frames} pictures"
        f" checked; {report.replayed} episodes replayed"
    )
    count = len(report.problems)
    found = f"{count} problem{'s' if count > 1 else ''}"
    verdict = f"✓ {checked}" if report.good else f"✗ {found}; {checked}"
    console.print(printable(verdict), style="green" if report.good else "red")
    if report.public_key:
        console.print(printable(f"  key {report.public_key}"), style="dim")
