"""``houseguest queue board``: the leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.output import print_table
from env_service.cli.queue_list import phase_names
from env_service.cli.queue_options import open_queue, queue_option
from env_service.domain.printable import safe

if TYPE_CHECKING:
    from env_service.submissions.board import Entry

_EXAMPLES = """\b
Examples:
  houseguest queue board --phase minival
  houseguest queue board --json > board.json
"""


@click.command("board", epilog=_EXAMPLES)
@click.option("--phase", "name", default="", metavar="NAME", help="This phase alone.")
@queue_option
@json_option
def board_command(*, name: str, folder: Path, as_json: bool) -> int:
    """Rank the teams: each by its best or its latest submission, as the phase says.

    The rate counts every planned episode. Teams of equal rates share a rank; intervals (95 %) that
    overlap mean that the order may be chance.
    """
    from env_service.cli.report_design import goals_in
    from env_service.submissions.board import board
    from env_service.suites.reporting import GAINED_BRIEF, GOALS_GAINED

    queue = open_queue(folder)
    phases = phase_names(queue.phases(), name)
    boards = [(phase, board(queue.jobs(phase=phase.name), phase)) for phase in phases]
    if as_json:
        print_json(
            [
                {
                    "phase": phase.name,
                    "ranking": phase.ranking,
                    "entries": [entry.to_json() for entry in entries],
                }
                for phase, entries in boards
            ]
        )
        return 0
    for phase, entries in boards:
        click.echo(f"{phase.name} ({phase.ranking} submission of each team)")
        if entries:
            goals = goals_in(*(each for entry in entries for each in entry.suites))
            columns = (
                *("#rank", "team", "agent", "#success", "95 %"),
                *(f"#{GOALS_GAINED.heading}", f"#{goals.name}", "#episodes", "day"),
            )
            print_table(columns, [_row(entry) for entry in entries])
            click.echo(f"{GOALS_GAINED.heading}: {GAINED_BRIEF}; {goals.name}: {goals.brief}")
        else:
            click.echo("no submission was scored yet")
    return 0


def _row(entry: Entry) -> tuple[str, ...]:
    from env_service.results.scoreboard import percent
    from env_service.submissions.score_rates import GAINED, MET

    told = entry.to_json()
    low, high = told["interval_95"] or (0.0, 1.0)
    return (
        str(entry.rank),
        safe(told["team"]),
        safe(f"{told['agent']} {told['version']}"),
        f"{100 * entry.rate:.1f} %",
        f"{100 * low:.1f} – {100 * high:.1f}",
        percent(told[GAINED]),
        percent(told[MET]),
        f"{told['successes']}/{told['planned']}",
        told["day"],
    )
