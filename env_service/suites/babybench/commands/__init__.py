"""``houseguest babybench``: LLM-BabyBench's data sets."""

import click

from env_service.cli.command import CommandGroup
from env_service.suites.babybench.commands.generate import generate_command, verify_command

_EXAMPLES = """\b
Examples:
  houseguest babybench generate --task predict --out predict
  houseguest babybench generate --task plan --levels Small-4Dists --seeds 1-50 --out small
  houseguest babybench verify predict --regenerate 20
"""


@click.group("babybench", cls=CommandGroup, epilog=_EXAMPLES)
def babybench_command() -> None:
    """Make and check data sets of LLM-BabyBench's three questions.

    To evaluate an agent, use `houseguest run --suite babybench`, which needs no data set.
    """


for _command in (generate_command, verify_command):
    babybench_command.add_command(_command)
