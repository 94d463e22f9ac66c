"""``houseguest data``: third-party data, downloaded or imported."""

from __future__ import annotations

import click

from env_service.cli.data_fetch import fetch_command
from env_service.cli.data_import import import_command
from env_service.cli.data_list import list_command, path_command
from env_service.cli.data_verify import verify_command
from env_service.cli.groups import CommandGroup

_EXAMPLES = """\b
Examples:
  houseguest data list
  houseguest data fetch ithor
  houseguest data import asgard ~/AsgardBench
  houseguest data verify
"""


@click.group("data", cls=CommandGroup, epilog=_EXAMPLES)
def data_command() -> None:
    """Download, import and check data packs: third-party data that suites need.

    A pack is a list of files of a public repository at one commit, each with its SHA-256.
    They are kept in the user's cache folder, or where HOUSEGUEST_DATA says.
    """


for _command in (list_command, fetch_command, import_command, verify_command, path_command):
    data_command.add_command(_command)
