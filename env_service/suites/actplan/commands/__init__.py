"""``houseguest actplan``: what is particular to the suite of that name."""

from __future__ import annotations

import click

from env_service.cli.command import CommandGroup
from env_service.suites.actplan.commands.explain import explain_command
from env_service.suites.actplan.commands.judge import agreement_command, judge_command
from env_service.suites.actplan.commands.lcs import lcs_command
from env_service.suites.actplan.commands.learned import learned_command
from env_service.suites.actplan.commands.lint import lint_command
from env_service.suites.actplan.commands.make import make_command
from env_service.suites.actplan.commands.model import model_command
from env_service.suites.actplan.commands.stats import stats_command

_EXAMPLES = """\b
Examples:
  houseguest actplan judge plans/
  houseguest actplan explain assembling_gift_baskets/0 --plan plan.txt
  houseguest actplan agreement
  houseguest actplan stats
  houseguest actplan lint problem0.bddl
"""


@click.group("actplan", cls=CommandGroup, epilog=_EXAMPLES)
def actplan_command() -> None:
    """Judge plans and show why, measure the judges, make activities, and check definitions."""


for _command in (
    judge_command,
    explain_command,
    agreement_command,
    lcs_command,
    learned_command,
    model_command,
    stats_command,
    lint_command,
    make_command,
):
    actplan_command.add_command(_command)
