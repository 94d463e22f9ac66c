"""``houseguest conformance server``: a client checks a house."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from env_service.cli.common import json_option, names_option
from env_service.cli.conformance_agent import conclude
from env_service.cli.errors import Misuse

_EXAMPLES = """\b
Examples:
  houseguest conformance server --self
  houseguest conformance server 127.0.0.1:7000 --token "$(cat seats/seat-0)"
  houseguest conformance server unix:/tmp/agent.sock --token A --tokens B --json

Exit status: 0 every rule was kept; 1 some were not; 2 wrong usage.
"""


@click.command("server", epilog=_EXAMPLES)
@click.argument("address", default="")
@click.option("--token", default="", metavar="TOKEN", help="A lease token of a seat of the run.")
@names_option(
    "--tokens", "TOKEN[,…]", "Tokens of further seats of the same run; one of them is withdrawn."
)
@click.option("--self", "own", is_flag=True, help="Open this house with a small run, and check it.")
@names_option(
    "--only", "RULE[,…]", "Check these rules alone; see `houseguest conformance rules server`."
)
@click.option("--to-the-end", is_flag=True, help="Use up the whole run, to see how it ends.")
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long a call may take until it counts as hanging.",
)
@click.option(
    "--ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="PEM root certificates: the house is called with TLS.",
)
@json_option
def server_command(  # noqa: PLR0913 - one parameter an option
    *,
    address: str,
    token: str,
    tokens: Sequence[str],
    own: bool,
    only: tuple[str, ...],
    to_the_end: bool,
    timeout: float,
    ca: Path | None,
    as_json: bool,
) -> int:
    """Check a house that serves AgentService: this one, or one of somebody's own.

    The kit plays with the seats whose tokens it is given, and uses up some two dozen episodes of
    their run: open one for it alone.
    """
    seats = tuple(each for each in (token, *tokens) if each)
    if own and (address or seats):
        raise Misuse("--self opens a house of its own: it takes no address and no token.")
    if not own and not (address and seats):
        raise Misuse("Give the house's ADDRESS and a --token, or --self.")
    from env_service.conformance.server.check import check_server
    from env_service.conformance.server.options import ServerOptions

    options = ServerOptions(
        only=only, to_the_end=to_the_end, timeout=timeout, ca=ca.read_bytes() if ca else b""
    )
    if own:
        from env_service.conformance.server.own_house import check_own_house

        return conclude(check_own_house(options), as_json=as_json)
    return conclude(check_server(address, seats, options), as_json=as_json)
