"""``houseguest actplan make``: descriptions, circumstances, counterfactuals."""

from __future__ import annotations

import click

from env_service.cli.actplan_make_check import check_command
from env_service.cli.actplan_make_circumstances import circumstances_command
from env_service.cli.actplan_make_counterfactual import counterfactual_command
from env_service.cli.actplan_make_describe import describe_command
from env_service.cli.groups import CommandGroup

_EXAMPLES = """\b
Examples:
  houseguest actplan make describe mine/baking_a_cake
  houseguest actplan make circumstances --tasks 'packing_*' --number 3 --model NAME --out c.jsonl
  houseguest actplan make counterfactual --out made --kinds event_causality
  houseguest actplan make counterfactual --circumstances c.jsonl --model NAME --out made
  houseguest actplan make check made
"""


@click.group("make", cls=CommandGroup, epilog=_EXAMPLES)
def make_command() -> None:
    """Make activities: describe them, change their circumstances, check what came of it.

    By templates and rules, which need no model, or with any model behind an OpenAI-compatible API.
    """


for _command in (describe_command, circumstances_command, counterfactual_command, check_command):
    make_command.add_command(_command)
