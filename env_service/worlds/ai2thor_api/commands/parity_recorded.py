"""``houseguest parity recorded``: a world against recorded sessions of AI2-THOR."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Interrupted, Misuse
from env_service.cli.options import json_option, print_json, split_names

if TYPE_CHECKING:
    from env_service.worlds.ai2thor_api.parity.recorded_sessions import RecordedSession
    from env_service.worlds.ai2thor_api.parity.records import Record
    from env_service.worlds.ai2thor_api.parity.report import ComparisonSetup

_RECORDED_EXAMPLES = """\b
Examples:
  houseguest parity recorded sessions/
  houseguest parity recorded sessions/open_fridge --no-pictures
  houseguest parity recorded --sessions 'clean_*' --json

\b
Exit status: 0 the world reaches every aim; 1 it misses one, or failed twice; 2 wrong usage;
130 interrupted.
"""

SUMMARY = "summary.md"
"""In the report's folder: the report as Markdown."""

RECORDED_FOLDER = "ai2thor-recorded"
"""In the folder of the data packs: where recorded sessions are looked for by default."""


@click.command("recorded", short_help="Compare with recorded sessions.", epilog=_RECORDED_EXAMPLES)
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--world", default="household", show_default=True, metavar="WORLD",
              help="The world under test.")  # fmt: skip
@click.option("--sessions", multiple=True, metavar="PATTERN[,…]",
              callback=lambda _context, _parameter, given: split_names(given),
              help="Names of sessions, or shell patterns.  [default: all]")  # fmt: skip
@click.option("--no-pictures", is_flag=True, help="Do not compare colours, which is faster.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Folder of the report.  [default: parity-WORLD-recorded]")  # fmt: skip
@json_option
def recorded_command(
    *, folder: Path | None, world: str, out: Path | None, as_json: bool, **given: Any
) -> int:
    """Play recorded sessions of AI2-THOR in a world, and compare every event.

    FOLDER is one session, or a folder of sessions, as docs/parity.md describes them. By default,
    it is the folder ai2thor-recorded next to the data packs. Each session starts in the state
    that its first event shows. This needs neither AI2-THOR nor a graphics card.
    """
    from env_service.storage.atomic_files import write_atomically
    from env_service.worlds.ai2thor_api.parity.recorded_report import (
        recorded_report,
        recorded_summary,
    )
    from env_service.worlds.ai2thor_api.parity.report import file_name, write_report

    found = _sessions(folder, given["sessions"])
    setup = _recorded_setup(world, len(found), pictures=not given["no_pictures"])
    try:
        records = _recorded(found, setup)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted: no report was written.") from None
    report = recorded_report(setup, found, records)
    summary = recorded_summary(report)
    out = out or Path(f"parity-{world}-recorded")
    out.mkdir(parents=True, exist_ok=True)
    file = out / file_name(world, "recorded")
    write_report(file, report)
    write_atomically(out / SUMMARY, summary.encode())
    if as_json:
        print_json({**without_rows(report), "file": str(file)})
    else:
        click.echo(summary)
        verdict = (
            "The world agrees with the recordings"
            if report["verdict"]["agrees"]
            else "The world disagrees with the recordings"
        )
        click.echo(f"{verdict}. Report: {file}")
    return 0 if report["verdict"]["agrees"] else PROBLEM


def _sessions(folder: Path | None, patterns: tuple[str, ...]) -> list[RecordedSession]:
    from env_service.datasets.folder import data_root
    from env_service.worlds.ai2thor_api.parity.recorded_sessions import SessionError, read_sessions

    place = folder or data_root() / RECORDED_FOLDER
    if not place.is_dir():
        raise Misuse(f"No recorded sessions at {place}. Name their folder as an argument.")
    try:
        found = read_sessions(place)
    except SessionError as error:
        raise Misuse(str(error), kind="SessionError") from None
    for pattern in patterns:
        if not any(fnmatch(each.name, pattern) for each in found):
            names = ", ".join(each.name for each in found[:10])
            raise Misuse(f"--sessions: none is called {pattern!r}. There are: {names}.")
    wanted = patterns or ("*",)
    return [each for each in found if any(fnmatch(each.name, p) for p in wanted)]


def _recorded_setup(world: str, number: int, *, pictures: bool) -> ComparisonSetup:
    from env_service.domain.names import UnknownNameError
    from env_service.worlds.ai2thor_api.parity.report import ComparisonSetup
    from env_service.worlds.ai2thor_api.parity.script_play import PlayOptions
    from env_service.worlds.ai2thor_api.world_registry import thor_worlds
    from env_service.worlds.base import describe_world

    if world not in thor_worlds():
        raise UnknownNameError("world", world, thor_worlds())
    options = PlayOptions(settle=0, pictures=pictures)
    source = {"sessions": number}
    return ComparisonSetup(world, "recorded", describe_world(world), {}, source, options)


def _recorded(sessions: Sequence[RecordedSession], setup: ComparisonSetup) -> list[Record]:
    from env_service.cli.output import progress
    from env_service.worlds.ai2thor_api.floor_plans import share_floor_plans
    from env_service.worlds.ai2thor_api.parity.recorded_play import play_recorded
    from env_service.worlds.ai2thor_api.parity.recorded_sessions import SessionError
    from env_service.worlds.ai2thor_api.parity.script_play import blank_record, play_with_retries

    share_floor_plans()
    records = []
    with progress("playing", len(sessions)) as advance:
        for session in sessions:
            play = partial(play_recorded, session, setup.left, setup.options)
            try:
                records.append(play_with_retries(play, blank_record(session.script)))
            except SessionError as error:
                raise Misuse(str(error), kind="SessionError") from None
            advance()
    return records


def without_rows(report: dict[str, Any]) -> dict[str, Any]:
    """A report with the number of its rows instead of them."""
    records = [{**record, "rows": len(record["rows"])} for record in report["records"]]
    return {**report, "records": records}
