"""``houseguest mcp``: the agent ``mcp`` for a session that somebody else opened."""

from __future__ import annotations

import os

import click

_EXAMPLES = """\b
Examples:
  houseguest run --suite SUITE --agent external --listen 127.0.0.1:7000
  HOUSEGUEST_ADDRESS=127.0.0.1:7000 HOUSEGUEST_TOKEN=… houseguest mcp
  HOUSEGUEST_ADDRESS=127.0.0.1:7000 houseguest mcp --listen 127.0.0.1:8765
  houseguest run --suite SUITE --agent mcp     run and server in one
"""


@click.command("mcp", epilog=_EXAMPLES)
@click.option(
    "--listen", metavar="HOST:PORT",
    help="Serve HTTP at http://HOST:PORT/mcp. The bearer token of a client is the token of its"
    " session. Default: serve one client over standard input and output.",
)  # fmt: skip
@click.option("--plaintext", is_flag=True, help="Allow an address beyond this host without TLS.")
@click.option("--client-name", metavar="NAME", help="Name of the client, recorded with the run.")
@click.option("--json", "as_json", is_flag=True, help="With --listen: print the URL as JSON.")
def mcp_command(
    listen: str | None, client_name: str | None, *, plaintext: bool, as_json: bool
) -> None:
    """Serve the sessions of a run as tools of the Model Context Protocol (MCP).

    Agents of any framework that supports MCP then play episodes by calling tools. Set
    HOUSEGUEST_ADDRESS to the address of the service and, without --listen, HOUSEGUEST_TOKEN to the
    token of the session.
    """
    from env_service.sandbox.agents import find_agent
    from env_service.sandbox.errors import AgentSpecError

    _check(listen, plaintext=plaintext)
    try:
        agent = find_agent("mcp")
        if agent is None:
            raise click.ClickException("the agent `mcp` is not part of this installation")
        agent.check_requirements()
    except AgentSpecError as error:
        raise click.ClickException(str(error)) from None
    command = [*agent.command, *(["--stdio"] if listen is None else ["--mcp-listen", listen])]
    command += ["--mcp-plaintext"] if plaintext else []
    command += ["--client-name", client_name] if client_name else []
    command += ["--json"] if as_json else []
    # With these, the agent would serve the sessions of a run that started it.
    os.environ.pop("HOUSEGUEST_TOKENS", None)
    # The MCP client talks to this process, so the agent replaces it.
    os.execvp(command[0], command)  # noqa: S606 - from an argument list


def _check(listen: str | None, *, plaintext: bool) -> None:
    """Raises Misuse for an address or a setting that the agent would refuse."""
    from env_service.cli.errors import Misuse
    from env_service.cli.view import read_address
    from env_service.gateway.listeners import is_loopback

    needed = ("HOUSEGUEST_ADDRESS",) if listen else ("HOUSEGUEST_ADDRESS", "HOUSEGUEST_TOKEN")
    missing = [name for name in needed if not os.environ.get(name)]
    if missing:
        raise Misuse(
            f"{' and '.join(missing)} must be set. `houseguest run … --agent external` prints the"
            " address of its service and the token of each session."
        )
    if listen and not (plaintext or is_loopback(read_address(listen)[0])):
        raise Misuse(
            f"{listen} would send tokens and observations unencrypted. Put a proxy with TLS in"
            " front of a loopback address, or allow it with --plaintext."
        )
