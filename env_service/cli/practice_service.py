"""Runs a practice service until the user stops it."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from dataclasses import dataclass
from pathlib import Path

import click

from env_service.cli.errors import Failure
from env_service.cli.run_evaluation import token_file, write_token_files
from env_service.engine.placement import Placement
from env_service.gateway.grpc_server import (
    GrpcServer,
    practice_server_options,
    private_endpoints,
)
from env_service.gateway.practice import Practice, PracticeRequest


@dataclass(frozen=True, slots=True)
class PracticeOptions:
    """The options of the command line."""

    request: PracticeRequest
    listen: str
    token_folder: Path | None
    placement: Placement | None
    world_memory: int | None
    as_json: bool


async def serve_practice(options: PracticeOptions) -> None:
    """Serves until the user stops it. Raises Failure if the service cannot continue."""
    # Agents only learn that an episode is void; the operator sees the service's errors.
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    with private_endpoints() as place:
        server = practice_server_options(
            options.request, place, options.listen, options.placement, options.world_memory
        )
        async with GrpcServer(server) as service:
            practice = await service.environment.open_practice(options.request)
            tokens = {
                n: service.environment.lease_token(practice, n)
                for n in range(practice.session_count)
            }
            _announce(practice, service.agent_addresses[0], tokens, options)
            await _first(stop, practice.closed)
    if practice.stopped:
        raise Failure(practice.stopped, kind="practice_stopped")


def _announce(
    practice: Practice, address: str, tokens: dict[int, str], options: PracticeOptions
) -> None:
    """Prints how to reach the service."""
    if options.token_folder is not None:
        write_token_files(options.token_folder, tokens)
    if options.as_json:
        launch = {
            "event": "launch",
            "address": address,
            "tokens": list(tokens.values()),
            "suite": practice.context.suite.name,
            "task_set": practice.task_set,
            "world": practice.context.world,
            "condition": dict(practice.context.condition),
            "task_ids": [task.id for task in practice.tasks],
        }
        click.echo(json.dumps(launch))
        return
    tasks = ", ".join(dict.fromkeys(task.id for task in practice.tasks))
    click.echo(f"Practice of {practice.context.suite.name} in {practice.context.world}: {tasks}")
    click.echo(f"  HOUSEGUEST_ADDRESS={address}")
    if options.token_folder is not None:
        # A token written to a file is not printed, because other people may read logs.
        for number in tokens:
            click.echo(f"  HOUSEGUEST_TOKEN=$(cat {token_file(options.token_folder, number)})")
    elif len(tokens) == 1:
        click.echo(f"  HOUSEGUEST_TOKEN={tokens[0]}")
    else:
        click.echo(f"  HOUSEGUEST_TOKENS={','.join(tokens.values())}")
    click.echo("Press Ctrl-C to stop.")


async def _first(*events: asyncio.Event) -> None:
    """Returns when one of the events is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
