"""``houseguest conformance``: check an agent or a service against the protocol."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.command import CommandGroup
from env_service.cli.errors import PROBLEM, Misuse
from env_service.cli.options import calling_options, json_option, names_option, print_json
from env_service.cli.output import print_table
from env_service.cli.sandbox_options import read_sandbox, refuse_sandbox, sandbox_options

if TYPE_CHECKING:
    from env_service.conformance.agent.check import AgentOptions
    from env_service.conformance.report import ConformanceReport


# --- ``houseguest conformance agent``: an adversarial service checks an agent

_AGENT_EXAMPLES = """\b
Examples:
  houseguest conformance agent AGENT
  houseguest conformance agent ./my_agent --only repeats,resumes --keep-logs logs
  houseguest conformance agent 'cmd:"python my_agent.py"' -- --seed 7
  houseguest conformance agent image:my-agent --json
  houseguest conformance agent external --listen unix:/run/houseguest/agent.sock
                               --seats /run/seats

Exit status: 0 every rule is followed; 1 some are broken; 2 wrong usage.
"""


@click.command("agent", epilog=_AGENT_EXAMPLES)
@click.argument("target")
@click.argument("words", metavar="[-- AGENT OPTIONS]", nargs=-1, type=click.UNPROCESSED)
@names_option("--only", "RULE[,…]", "Check only these rules; see `houseguest conformance rules`.")
@click.option(
    "--jobs",
    default=4,
    show_default=True,
    type=click.IntRange(1, 64),
    metavar="N",
    help="Number of concurrent scenes.",
)
@click.option(
    "--scene-limit",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time limit for one scene.",
)
@click.option(
    "--start-limit",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time limit until the first call.",
)
@click.option(
    "--keep-logs",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the agent's output of each scene.",
)
@calling_options("an external agent calls", "Folder for the token of an external agent: seat-0.")
@click.option(
    "--token", default="", metavar="TOKEN", help="Token of the external agent.  [default: random]"
)
@sandbox_options
@json_option
def agent_command(target: str, words: Sequence[str], **options: Any) -> int:
    """Check an agent against an adversarial service.

    TARGET is an agent as for `houseguest run --agent`: a name, a folder such as ./my_agent,
    cmd:"…", image:NAME, or external. The kit starts it again for each of about forty short
    scenes. Start an external agent yourself, once per scene.
    """
    from env_service.conformance.agent.check import check_agent, parse_target

    spec = parse_target(target, words)
    chosen = _options(spec.label, options, external=spec.launch is None)
    report = check_agent(spec.launch, chosen)
    return conclude(report, as_json=options["as_json"])


def conclude(report: ConformanceReport, *, as_json: bool) -> int:
    """Prints a report; returns the exit status."""
    from env_service.conformance.report import report_text

    if as_json:
        print_json(report.to_json())
    else:
        click.echo(report_text(report))
    return 0 if report.passed else PROBLEM


def _options(label: str, given: Mapping[str, Any], *, external: bool) -> AgentOptions:
    from env_service.conformance.agent.check import AgentOptions

    sandbox = read_sandbox(given)
    if external:
        refuse_sandbox(sandbox)
        if not given["listen"]:
            raise Misuse("An external agent needs an address: pass --listen ADDRESS.")
    elif given["listen"] or given["token_folder"] or given["token"]:
        raise Misuse("--listen, --seats and --token are only for external agents.")
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
        token_folder=given["token_folder"],
        progress=_show_progress if sys.stderr.isatty() and not given["as_json"] else None,
    )


def _show_progress(done: int, total: int) -> None:
    """Prints the number of finished scenes over the previous number."""
    click.echo(f"{done} of {total} scenes" + ("\n" if done == total else "\r"), err=True, nl=False)


# --- ``houseguest conformance server``: a client checks a service

_SERVER_EXAMPLES = """\b
Examples:
  houseguest conformance server --self
  houseguest conformance server 127.0.0.1:7000 --token "$(cat seats/seat-0)"
  houseguest conformance server unix:/tmp/agent.sock --token A --tokens B --json

Exit status: 0 every rule is followed; 1 some are broken; 2 wrong usage.
"""


@click.command("server", epilog=_SERVER_EXAMPLES)
@click.argument("address", default="")
@click.option("--token", default="", metavar="TOKEN", help="Lease token of a session of the run.")
@names_option(
    "--tokens",
    "TOKEN[,…]",
    "Tokens of more sessions of the same run; the kit withdraws one of them.",
)
@click.option(
    "--self", "own", is_flag=True, help="Start this service with a small run and check it."
)
@click.option(
    "--sample",
    default="",
    metavar="NAME",
    help="Run for --self, by the name of its plug-in.  [default: the first by name]",
)
@names_option(
    "--only", "RULE[,…]", "Check only these rules; see `houseguest conformance rules server`."
)
@click.option("--to-the-end", is_flag=True, help="Use up the whole run to check its end.")
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Time after which a call counts as hanging.",
)
@click.option(
    "--ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="PEM root certificates; use TLS.",
)
@json_option
def server_command(  # noqa: PLR0913 - one parameter an option
    *,
    address: str,
    token: str,
    tokens: Sequence[str],
    own: bool,
    sample: str,
    only: tuple[str, ...],
    to_the_end: bool,
    timeout: float,
    ca: Path | None,
    as_json: bool,
) -> int:
    """Check this service or your own, which implements AgentService.

    The kit plays the sessions of the given tokens and uses about two dozen episodes of their run,
    so give it a separate run.
    """
    tokens = tuple(each for each in (token, *tokens) if each)
    if own and (address or tokens):
        raise Misuse("--self starts a service: remove the address and the token.")
    if sample and not own:
        raise Misuse("--sample needs --self.")
    if not own and not (address and tokens):
        raise Misuse("Pass the service's ADDRESS and a --token, or --self.")
    from env_service.conformance.server.check import ServerOptions, check_server

    options = ServerOptions(
        only=only, to_the_end=to_the_end, timeout=timeout, ca=ca.read_bytes() if ca else b""
    )
    if own:
        from env_service.conformance.server.own_service import check_own_service

        return conclude(check_own_service(options, sample), as_json=as_json)
    return conclude(check_server(address, tokens, options), as_json=as_json)


# --- ``houseguest conformance rules``: what the kits check

_RULES_EXAMPLES = """\b
Examples:
  houseguest conformance rules
  houseguest conformance rules server --json
"""


@click.command("rules", epilog=_RULES_EXAMPLES)
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
    """Check an agent, or your own service, against the protocol.

    The report has one line per rule. For a broken rule it shows what was sent, what was expected,
    and what happened.
    """


for _command in (agent_command, server_command, rules_command):
    conformance_command.add_command(_command)
