"""``houseguest conformance``: does a guest, or a house, keep to the protocol?"""

from __future__ import annotations

import click

from env_service.cli.conformance_agent import agent_command
from env_service.cli.conformance_rules import rules_command
from env_service.cli.conformance_server import server_command
from env_service.cli.groups import CommandGroup

_EXAMPLES = """\b
Examples:
  houseguest conformance agent ./my_agent
  houseguest conformance agent 'cmd:"node dist/agent.js"' --only repeats,resumes
  houseguest conformance agent image:my-agent --json
  houseguest conformance server --self
  houseguest conformance server unix:/run/houseguest/agent.sock --token TOKEN
"""


@click.group("conformance", cls=CommandGroup, epilog=_EXAMPLES)
def conformance_command() -> None:
    """Check that a guest, or a house of one's own, keeps to the protocol.

    The report tells of each rule whether it was kept, and of a broken one what was sent, what
    had to come of it, and what came.
    """


for _command in (agent_command, server_command, rules_command):
    conformance_command.add_command(_command)
