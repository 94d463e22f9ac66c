"""``houseguest serve``: run the service until it is stopped."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
from pathlib import Path

import click

from env_service.cli.options import json_option, signing_key_option
from env_service.cli.placement_options import check_workers, placement_options, read_placement
from env_service.domain.run_bounds import MOST_PLACES, WORKERS
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint, Tls
from env_service.gateway.runtime import run_service
from env_service.storage.signing_key import SigningKey
from env_service.suites.registry import load_all

HELPERS = 2
"""Processes that load, draw and list tasks. With two, a large request does not block the next one.
The second starts only when the first is busy."""

_EXAMPLES = """\b
Examples:
  houseguest serve --agents unix:/run/houseguest/agent.sock --control 127.0.0.1:7001
  houseguest serve --agents 0.0.0.0:7000 --tls-cert chain.pem --tls-key key.pem
  houseguest serve --max-sessions 500 --workers 16
  houseguest serve --gpus 0,1 --worlds-per-gpu 4    for all runs together

Create runs through houseguest.control.v1.ControlService. After Ctrl-C or SIGTERM, the service
waits for open episodes (--drain) and stops.
"""


@click.command("serve", epilog=_EXAMPLES)
@click.option(
    "--agents",
    multiple=True,
    default=("unix:houseguest-agent.sock",),
    show_default=True,
    help="Address for agents: unix:/path or host:port; may be repeated.",
)
@click.option(
    "--control",
    multiple=True,
    default=("unix:houseguest-control.sock",),
    show_default=True,
    help="Address for the operator; never the agents' address.",
)
@click.option(
    "--out",
    default=Path("runs"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Parent folder of run folders.",
)
@click.option(
    "--operator-token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with the operator's token; created with mode 0600 if missing.  [default:"
    " OUT/.operator-token]",
)
@click.option(
    "--tls-cert", type=click.Path(path_type=Path), help="PEM certificate chain for ports."
)
@click.option("--tls-key", type=click.Path(path_type=Path), help="PEM private key for ports.")
@click.option("--plaintext", is_flag=True, help="Allow ports without TLS beyond this host.")
@click.option(
    "--drain",
    default=10.0,
    show_default=True,
    type=click.FloatRange(min=0, max=86_400),
    help="Seconds for open episodes to finish when the service stops.",
)
@click.option(
    "--max-sessions",
    default=64,
    show_default=True,
    type=click.IntRange(1, MOST_PLACES),
    metavar="N",
    help="Maximum number of concurrent agents over all runs; others wait for a session.",
)
@click.option(
    "--workers",
    default=0,
    show_default=True,
    type=click.IntRange(0, WORKERS.most),
    metavar="N",
    help="Default number of worker processes per run; 0 starts enough for every session.",
)
@placement_options
@signing_key_option("the results")
@json_option
def serve_command(  # noqa: PLR0913 - one parameter an option
    *,
    agents: tuple[str, ...],
    control: tuple[str, ...],
    out: Path,
    operator_token_file: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    plaintext: bool,
    drain: float,
    max_sessions: int,
    workers: int,
    gpus: str,
    worlds_per_gpu: int,
    world_memory: int | None,
    signing_key: Path | None,
    as_json: bool,
) -> None:
    """Start the environment service and run it until you stop it."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key need each other: pass both or neither.")
    tls = Tls(tls_cert, tls_key) if tls_cert and tls_key else None
    token_file = operator_token_file or out / ".operator-token"
    placement = read_placement(gpus, worlds_per_gpu, shared=True)
    check_workers(placement, workers)
    limits = ServiceLimits(
        max_sessions=max_sessions, workers=workers, world_memory_bytes=world_memory
    )
    options = GrpcServerOptions(
        runs=out,
        key=SigningKey.load_or_create(signing_key),
        agents=Endpoint(agents, tls, plaintext),
        control=Endpoint(control, tls, plaintext),
        limits=limits,
        operator_token=operator_token(token_file),
        placement=placement,
        helpers=HELPERS,
    )
    # Import the suites now: a later import holds the interpreter's lock for tens of milliseconds.
    load_all()
    run_service(_serve(options, token_file, drain, as_json=as_json))


async def _serve(
    options: GrpcServerOptions, token_file: Path, drain: float, *, as_json: bool
) -> None:
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    async with GrpcServer(options) as service:
        opened = {
            "event": "launch",
            "agents": service.agent_addresses,
            "control": service.control_addresses,
            "operator_token_file": str(token_file),
            "runs": str(options.runs),
        }
        if as_json:
            click.echo(json.dumps(opened))
        else:
            click.echo(f"Agents:         {', '.join(service.agent_addresses)}")
            click.echo(f"Operator:       {', '.join(service.control_addresses)}")
            click.echo(f"Operator token: {token_file}")
            click.echo(f"Runs:           {options.runs}")
            click.echo("Press Ctrl-C to stop.")
        await stop.wait()
        await service.stop(drain)


def operator_token(path: Path) -> str:
    """Reads the token from a file; creates the file (mode 0600) if it does not exist.

    Raises ClickException for an empty file.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(24) + "\n")
    token = path.read_text(encoding="utf-8").strip()
    if not token:
        raise click.ClickException(f"{path} is empty. Delete it, and a new token is created.")
    return token
