"""``houseguest actplan``: what is particular to the suite of that name."""

from __future__ import annotations

import click

from env_service.cli.actplan_agreement import agreement_command
from env_service.cli.actplan_explain import explain_command
from env_service.cli.actplan_judge import judge_command
from env_service.cli.actplan_lcs import lcs_command
from env_service.cli.actplan_learned import learned_command
from env_service.cli.actplan_lint import lint_command
from env_service.cli.actplan_make import make_command
from env_service.cli.actplan_model import model_command
from env_service.cli.actplan_stats import stats_command
from env_service.cli.groups import CommandGroup

_EXAMPLES = """\b
Examples:
  houseguest actplan judge plans/
  houseguest actplan explain assembling_gift_baskets/0 --plan plan.txt --page plan.html
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
