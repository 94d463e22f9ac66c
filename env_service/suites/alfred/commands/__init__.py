"""``houseguest alfred``: what is particular to the suite of that name."""

import click

from env_service.cli.command import CommandGroup
from env_service.suites.alfred.commands.classify import classify_command
from env_service.suites.alfred.commands.examples import examples_command
from env_service.suites.alfred.commands.setups import setups_command
from env_service.suites.alfred.commands.stats import stats_command

_EXAMPLES = """\b
Examples:
  houseguest alfred setups valid_seen
  houseguest alfred stats valid_seen
  houseguest alfred classify session.log
  houseguest alfred examples --task-set builtin-140-7 --out examples.json
"""


@click.group("alfred", cls=CommandGroup, epilog=_EXAMPLES)
def alfred_command() -> None:
    """Check set-ups, count words, classify failures, and make examples for prompts."""


for _command in (setups_command, stats_command, classify_command, examples_command):
    alfred_command.add_command(_command)
