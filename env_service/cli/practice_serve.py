"""Keeps a house open for practice until it is told to stop."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from dataclasses import dataclass
from pathlib import Path

import click

from env_service.cli.errors import Failure
from env_service.cli.run_seats import hand_over, seat_file
from env_service.engine.placement import Placement
from env_service.gateway.listeners import Endpoint
from env_service.gateway.practice import Practice
from env_service.gateway.practice_opening import PracticeRequest
from env_service.gateway.private_place import PrivatePlace, private_place
from env_service.gateway.service import Service, ServiceOptions
from env_service.gateway.settings import HouseLimits
from env_service.results.keys import SigningKey


@dataclass(frozen=True, slots=True)
class PracticeOptions:
    """What the command line asked for."""

    request: PracticeRequest
    listen: str
    seats: Path | None
    placement: Placement | None
    world_memory: int | None
    as_json: bool


async def serve_practice(options: PracticeOptions) -> None:
    """Returns when the user stops it. Raises Failure when it cannot go on by itself."""
    # Voided episodes are told to the agent; what went wrong in the house is for its keeper.
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    stop = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    with private_place() as place:
        async with Service(_service_options(options, place)) as service:
            practice = await service.house.open_practice(options.request)
            tokens = {n: service.house.lease_token(practice, n) for n in range(practice.sessions)}
            _announce(practice, service.agent_addresses[0], tokens, options)
            await _first(stop, practice.closed)
    if practice.stopped:
        raise Failure(practice.stopped, kind="practice_stopped")


def _service_options(options: PracticeOptions, place: PrivatePlace) -> ServiceOptions:
    """A house with nothing to keep: its run folder and its key are never used."""
    sessions = max(options.request.sessions, HouseLimits().max_sessions)
    return ServiceOptions(
        runs=place.folder / "runs",
        key=SigningKey.load_or_create(place.folder / "key.pem"),
        agents=Endpoint((options.listen or place.agents,)),
        control=Endpoint((place.control,)),
        limits=HouseLimits(max_sessions=sessions, world_memory_bytes=options.world_memory),
        placement=options.placement,
    )


def _announce(
    practice: Practice, address: str, tokens: dict[int, str], options: PracticeOptions
) -> None:
    """Says how to reach the house."""
    if options.seats is not None:
        hand_over(options.seats, tokens)
    if options.as_json:
        launch = {
            "event": "launch",
            "address": address,
            "tokens": list(tokens.values()),
            "suite": practice.table.suite.name,
            "task_set": practice.task_set,
            "world": practice.table.world,
            "condition": dict(practice.table.condition),
            "task_ids": [task.id for task in practice.tasks],
        }
        click.echo(json.dumps(launch))
        return
    tasks = ", ".join(dict.fromkeys(task.id for task in practice.tasks))
    click.echo(f"Practice of {practice.table.suite.name} in {practice.table.world}: {tasks}")
    click.echo(f"  HOUSEGUEST_ADDRESS={address}")
    if options.seats is not None:
        # What is written is not shown: others read logs.
        for number in tokens:
            click.echo(f"  HOUSEGUEST_TOKEN=$(cat {seat_file(options.seats, number)})")
    elif len(tokens) == 1:
        click.echo(f"  HOUSEGUEST_TOKEN={tokens[0]}")
    else:
        click.echo(f"  HOUSEGUEST_TOKENS={','.join(tokens.values())}")
    click.echo("Ctrl-C closes it.")


async def _first(*events: asyncio.Event) -> None:
    """Returns when any of them is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
