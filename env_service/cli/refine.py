"""``houseguest refine``: make command files with a language model."""

from __future__ import annotations

import click

from env_service.cli.groups import CommandGroup
from env_service.cli.refine_alfred import alfred_command

_EXAMPLES = """\b
Examples:
  houseguest refine alfred --task-set valid_seen --model NAME --base-url URL --out refined.json
  houseguest refine alfred check refined.json
"""


@click.group("refine", cls=CommandGroup, epilog=_EXAMPLES)
def refine_command() -> None:
    """Make a benchmark's commands with a language model, and check them."""


refine_command.add_command(alfred_command)
