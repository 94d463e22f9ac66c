"""``houseguest conformance agent``: an adversarial house checks a guest."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.common import json_option, names_option, print_json
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.run_options import calling_options
from env_service.cli.sandbox_options import read_sandbox, refuse_sandbox, sandbox_options

if TYPE_CHECKING:
    from env_service.conformance.agent.options import AgentOptions
    from env_service.conformance.report import Report

_EXAMPLES = """\b
Examples:
  houseguest conformance agent random
  houseguest conformance agent ./my_agent --only repeats,resumes --keep-logs logs
  houseguest conformance agent 'cmd:"python my_agent.py"' -- --seed 7
  houseguest conformance agent image:my-agent --json
  houseguest conformance agent external --listen unix:/run/houseguest/agent.sock
                               --seats /run/seats

Exit status: 0 every rule was kept; 1 some were not; 2 wrong usage.
"""


@click.command("agent", epilog=_EXAMPLES)
@click.argument("target")
@click.argument("words", metavar="[-- AGENT OPTIONS]", nargs=-1, type=click.UNPROCESSED)
@names_option("--only", "RULE[,…]", "Check these rules alone; see `houseguest conformance rules`.")
@click.option(
    "--jobs",
    default=4,
    show_default=True,
    type=click.IntRange(1, 64),
    metavar="N",
    help="Scenes that are played at once.",
)
@click.option(
    "--scene-limit",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long the guest may take over one scene.",
)
@click.option(
    "--start-limit",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long it may take until its first call.",
)
@click.option(
    "--keep-logs",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the guest's output of each scene is kept.",
)
@calling_options(
    "an external guest calls", "Where the token is written for an external guest: seat-0."
)
@click.option(
    "--token", default="", metavar="TOKEN", help="The external guest's token.  [default: drawn]"
)
@sandbox_options
@json_option
def agent_command(target: str, words: Sequence[str], **options: Any) -> int:
    """Check a guest against an adversarial house.

    TARGET is an agent as `houseguest run --agent` takes it: a name, a folder like ./my_agent,
    cmd:"…", image:REF, or external. It is started afresh for each of some forty short scenes.
    An external guest is started by somebody else, once more whenever it has left.
    """
    from env_service.conformance.agent.check import check_agent
    from env_service.conformance.agent.target import parse_target

    spec = parse_target(target, words)
    chosen = _options(spec.label, options, external=spec.guest is None)
    report = check_agent(spec.guest, chosen)
    return conclude(report, as_json=options["as_json"])


def conclude(report: Report, *, as_json: bool) -> int:
    """Prints a report; returns the exit status."""
    from env_service.conformance.text import report_text

    if as_json:
        print_json(report.to_json())
    else:
        click.echo(report_text(report))
    return 0 if report.passed else PROBLEM


def _options(label: str, given: Mapping[str, Any], *, external: bool) -> AgentOptions:
    from env_service.conformance.agent.options import AgentOptions

    sandbox = read_sandbox(given)
    if external:
        refuse_sandbox(sandbox)
        if not given["listen"]:
            raise Misuse("An external guest has to know where to call: give --listen ADDRESS.")
    elif given["listen"] or given["seats"] or given["token"]:
        raise Misuse("--listen, --seats and --token are for external guests alone.")
    return AgentOptions(
        only=given["only"],
        jobs=given["jobs"],
        start_limit=given["start_limit"],
        scene_limit=given["scene_limit"],
        logs=given["keep_logs"],
        sandbox=sandbox,
        subject=label,
        listen=given["listen"],
        token=given["token"],
        seats=given["seats"],
        progress=_tell if sys.stderr.isatty() and not given["as_json"] else None,
    )


def _tell(done: int, total: int) -> None:
    """One line, which changes."""
    click.echo(f"{done} of {total} scenes" + ("\n" if done == total else "\r"), err=True, nl=False)
