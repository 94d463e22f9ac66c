"""``houseguest queue``: an organiser's queue of submissions, and the leaderboard."""

from __future__ import annotations

import click

from env_service.cli.groups import CommandGroup
from env_service.cli.queue_add import add_command, cancel_command
from env_service.cli.queue_board import board_command
from env_service.cli.queue_list import list_command, phases_command, show_command
from env_service.cli.queue_work import work_command

_EPILOG = """\b
Examples:
  houseguest queue phases --example > queue/phases.toml
  houseguest queue add my-team/agent:1.0 --team my-team --phase minival
  houseguest queue work --watch
  houseguest queue board --phase minival
"""


@click.group("queue", cls=CommandGroup, epilog=_EPILOG)
def queue_command() -> None:
    """Keep a queue of submissions: take them in, play them, rank them.

    A queue is a folder, ./queue unless --queue names another: phases.toml says what is played,
    private/ holds all results and is nobody else's, public/ holds what may be published. Several
    workers, also of several terminals, may work on one queue at once.
    """


for _command in (
    *(phases_command, add_command, list_command, show_command),
    *(work_command, cancel_command, board_command),
):
    queue_command.add_command(_command)
