"""``houseguest data``: third-party data, downloaded or imported."""

from __future__ import annotations

import click

from env_service.cli.data_fetch import fetch_command
from env_service.cli.data_import import import_command
from env_service.cli.data_list import list_command, path_command
from env_service.cli.data_verify import verify_command
from env_service.domain.names import UnknownNameError

_EXAMPLES = """\b
Examples:
  houseguest data list
  houseguest data fetch ithor
  houseguest data import asgard ~/AsgardBench
  houseguest data verify
"""


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which one meets them."""
        del ctx
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command. Raises UnknownNameError."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise UnknownNameError(
                "command", f"data {args[0]}", map("data {}".format, self.commands)
            )
        return super().resolve_command(ctx, args)


@click.group("data", cls=_Group, epilog=_EXAMPLES)
def data_command() -> None:
    """Download, import and check data packs: third-party data that suites need.

    A pack is a list of files of a public repository at one commit, each with its SHA-256.
    They are kept in the user's cache folder, or where HOUSEGUEST_DATA says.
    """


for _command in (list_command, fetch_command, import_command, verify_command, path_command):
    data_command.add_command(_command)
