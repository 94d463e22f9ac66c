"""``houseguest parity``: whether two worlds behind AI2-THOR's controller API are alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.groups import CommandGroup
from env_service.cli.parity_options import ParityRequest, parity_options
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.parity.journal import RecordJournal
    from env_service.parity.records import Record

_EXAMPLES = """\b
Examples:
  houseguest parity --scenes FloorPlan1-5 --length 200
  houseguest parity --suite asgard --tasks 'coffee*'
  houseguest parity --right household --scenes household-kitchen-1
  houseguest parity --scripts kitchen.jsonl --least 0.95 --least visible=0.8
  houseguest parity show parity-household-ai2thor/parity-household-ai2thor.json.gz

\b
Exit status: 0 the worlds agree; 1 they do not, or a world broke twice; 2 wrong usage;
130 interrupted, and the same command goes on.
"""

_SHOW_EXAMPLES = """\b
Examples:
  houseguest parity show parity-household-ai2thor/parity-household-ai2thor.json.gz
  houseguest parity show report.json.gz --json
"""

SUMMARY = "summary.md"


@click.group(
    "parity",
    cls=CommandGroup,
    invoke_without_command=True,
    short_help="Play the same in two worlds and compare.",
    epilog=_EXAMPLES,
)
@parity_options
@click.pass_context
def parity_command(context: click.Context, /, *, as_json: bool, **given: Any) -> int:
    """Play the same actions in two worlds, and report where they agree.

    Compared are every action's success, error and result, and the state of all objects and of
    the agent after it. The report is one small file without pictures, parity-….json.gz, to be
    sent to whoever works on a world; summary.md beside it is for reading.
    """
    if context.invoked_subcommand is not None:
        return 0
    request = ParityRequest.read(context, given)
    if given["no_play"]:
        return _made(request, as_json=as_json)
    return _compared(request, as_json=as_json)


@parity_command.command("show", short_help="Print a report again.", epilog=_SHOW_EXAMPLES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def show_command(*, file: Path, as_json: bool) -> int:
    """Print a report of `houseguest parity`; with --json without its rows."""
    from env_service.parity.report import ReportError, read_report
    from env_service.parity.summary import summarise

    try:
        report = read_report(file)
    except ReportError as error:
        raise Misuse(str(error), kind="ReportError") from None
    if as_json:
        print_json(_without_rows(report))
    else:
        click.echo(summarise(report), nl=False)
    return 0


def _made(request: ParityRequest, *, as_json: bool) -> int:
    from env_service.cli.parity_source import made

    scripts, file = made(request), request.given["save_scripts"]
    if as_json:
        print_json({"scripts": len(scripts), "file": str(file)})
    else:
        click.echo(f"{counted(len(scripts), 'script')}: {file}")
    return 0


def _compared(request: ParityRequest, *, as_json: bool) -> int:
    from env_service.cli.parity_source import source_of
    from env_service.parity.journal import JournalError, RecordJournal
    from env_service.parity.report import Setting, file_name, make_report, write_report
    from env_service.parity.summary import summarise
    from env_service.results.atomic import write_atomically
    from env_service.worlds.base import describe_world

    left, right = request.left, request.right
    facts = describe_world(left), describe_world(right)
    setting = Setting(left, right, *facts, source_of(request), request.manner)
    try:
        journal = RecordJournal(request.out, setting)
    except JournalError as error:
        raise Misuse(str(error), kind="JournalError") from None
    with journal:
        records = _played(request, journal)
    report = make_report(setting, records, request.limits)
    file, summary = request.out / file_name(left, right), summarise(report)
    write_report(file, report)
    write_atomically(request.out / SUMMARY, summary.encode())
    if as_json:
        print_json({**_without_rows(report), "file": str(file)})
    else:
        click.echo(summary)
        click.echo(f"written to {file}")
    return 0 if report["verdict"]["agrees"] else PROBLEM


def _played(request: ParityRequest, journal: RecordJournal) -> list[Record]:
    from env_service.cli.output import progress
    from env_service.cli.parity_source import plays_of
    from env_service.parity.session import play_all

    try:
        plays = plays_of(request)
        with progress("playing", len(plays)) as advance:
            return play_all(plays, journal, advance)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted: {len(journal.known)} finished and kept in {request.out}; the same"
            " command goes on."
        ) from None


def _without_rows(report: dict[str, Any]) -> dict[str, Any]:
    records = [{**record, "rows": len(record["rows"])} for record in report["records"]]
    return {**report, "records": records}
