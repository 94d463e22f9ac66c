"""``houseguest agents``: list the installed agents and their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from env_service.cli.errors import PROBLEM
from env_service.cli.options import json_option, print_json
from env_service.evaluation.agent_options import option_usage
from env_service.sandbox.agent_manifest import MANIFEST, AgentManifest, read_manifest
from env_service.sandbox.agents import agent_folders, find_agent
from env_service.sandbox.errors import AgentSpecError

_EXAMPLES = """\b
Examples:
  houseguest agents
  houseguest agents NAME                 options of one agent
  houseguest agents --json | jq -r '.agents[].name'
  HOUSEGUEST_AGENTS=my_agents houseguest agents

Exit status 1: an agent's manifest cannot be read.
"""


@click.command("agents", epilog=_EXAMPLES)
@click.argument("names", nargs=-1, metavar="[NAME|FOLDER]...")
@json_option
@click.pass_context
def agents_command(ctx: click.Context, *, names: Sequence[str], as_json: bool) -> int:
    """List the installed agents; with NAME, show the options of that agent.

    Agents come from Houseguest, from other installed distributions, and from the folders in
    HOUSEGUEST_AGENTS. `houseguest run --agent` also accepts a path to a program or an agent's
    folder, a command, an image, and `external`.
    """
    manifests, problems = ([_find(name) for name in names], []) if names else _read_all()
    if as_json:
        print_json({"agents": [_json(each) for each in manifests], "problems": problems})
    else:
        if names:
            for place, manifest in enumerate(manifests):
                if place:
                    click.echo()
                _print(ctx, manifest)
        else:
            _print_list(ctx, manifests)
        for problem in problems:
            click.echo(f"Error: {problem}", err=True)
    return PROBLEM if problems else 0


def _find(name: str) -> AgentManifest:
    """Raises UnknownNameError and AgentSpecError, also for a program without a manifest."""
    manifest = find_agent(name)
    if manifest is None:
        raise AgentSpecError(f"{name} has no {MANIFEST}, so it has no options to show")
    return manifest


def _read_all() -> tuple[list[AgentManifest], list[str]]:
    """The agents sorted by name, and the problems of those that cannot be read."""
    manifests, problems = [], []
    for _, folder in sorted(agent_folders().items()):
        try:
            manifests.append(read_manifest(folder))
        except AgentSpecError as error:
            problems.append(str(error))
    return manifests, problems


def _print_list(ctx: click.Context, manifests: Sequence[AgentManifest]) -> None:
    formatter = ctx.make_formatter()
    formatter.write_dl([(each.name, each.description) for each in manifests])
    click.echo(formatter.getvalue(), nl=False)
    click.echo("For the options of an agent: houseguest agents NAME")


def _print(ctx: click.Context, manifest: AgentManifest) -> None:
    formatter = ctx.make_formatter()
    formatter.write_text(f"{click.style(manifest.name, bold=True)}: {manifest.description}")
    if manifest.options:
        with formatter.indentation():
            formatter.write_dl([option_usage(option) for option in manifest.options])
    click.echo(formatter.getvalue(), nl=False)
    try:
        manifest.check_requirements()
    except AgentSpecError as error:
        click.echo(f"  {error}")


def _json(manifest: AgentManifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "description": manifest.description,
        "folder": str(manifest.folder),
        "shared": manifest.shared,
        "requires": asdict(manifest.requires),
        "missing": list(manifest.missing()),
        "options": [asdict(option) for option in manifest.options],
    }
