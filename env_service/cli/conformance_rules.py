"""``houseguest conformance rules``: what the kits check."""

from __future__ import annotations

import click

from env_service.cli.common import json_option, print_json
from env_service.cli.output import print_table

_EXAMPLES = """\b
Examples:
  houseguest conformance rules
  houseguest conformance rules server --json
"""


@click.command("rules", epilog=_EXAMPLES)
@click.argument("kit", type=click.Choice(("agent", "server")), default="agent")
@json_option
def rules_command(kit: str, *, as_json: bool) -> None:
    """List the rules of a kit: agent, or server."""
    from env_service.conformance.catalogue import rules_of

    rules = rules_of(kit)
    if as_json:
        keys = ("id", "requirement", "source")
        listed = [
            {**{key: getattr(rule, key) for key in keys}, "severity": rule.severity.value}
            for rule in rules
        ]
        print_json(listed)
        return
    rows = [(rule.id, rule.severity.value, rule.requirement) for rule in rules]
    print_table(("Rule", "Severity", "Requirement"), rows)
