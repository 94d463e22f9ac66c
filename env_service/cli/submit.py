"""``houseguest submit``: check and score an agent that is handed in as an image."""

from __future__ import annotations

import click

from env_service.cli.groups import CommandGroup
from env_service.cli.submit_check import check_command
from env_service.cli.submit_score import score_command

_EPILOG = """\b
Examples:
  houseguest submit check my-team/agent:1.0
  houseguest submit check ./my_agent --sandbox process
  houseguest submit score my-team/agent:1.0 --tasks asgard/official --out score
"""


@click.group("submit", cls=CommandGroup, epilog=_EPILOG)
def submit_command() -> None:
    """Check an agent's image as an organiser does, or score it.

    An image carries /houseguest-agent.yaml, which says what the agent is and needs.
    """


submit_command.add_command(check_command)
submit_command.add_command(score_command)
