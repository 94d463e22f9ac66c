"""This house, opened for a moment so that the kit can check it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from env_service.conformance.report import Report
from env_service.conformance.server.check import check_server
from env_service.conformance.server.options import ServerOptions
from env_service.gateway.house import RunRequest
from env_service.gateway.listeners import Endpoint
from env_service.gateway.private_place import private_place
from env_service.gateway.service import Service, ServiceOptions
from env_service.gateway.settings import HouseLimits
from env_service.results.keys import SigningKey

SUITE, TASKS, EPISODES = "babyai", ("GoToLocal",), 40
CALLS_PER_SECOND = 150
"""A limit that the kit can reach; all else that it does stays far below."""


def check_own_house(options: ServerOptions | None = None) -> Report:
    """Opens a house with a small run of babyai, both pictures and texts shown, and checks it."""
    return asyncio.run(_check(options or ServerOptions()))


async def _check(options: ServerOptions) -> Report:
    with private_place() as place:
        service = Service(
            ServiceOptions(
                runs=place.folder / "runs",
                key=SigningKey.load_or_create(place.folder / "key.pem"),
                agents=Endpoint((place.agents,)),
                control=Endpoint((place.control,)),
                limits=HouseLimits(calls_per_second=CALLS_PER_SECOND),
            )
        )
        async with service:
            request = RunRequest(
                SUITE,
                tasks=TASKS,
                limit=EPISODES,
                repeats=1 + EPISODES // 20,
                sessions=2,
                workers=1,
                condition={"observation": "text+picture", "feedback": "detailed"},
            )
            run = await service.house.open_run(request)
            tokens = [service.house.lease_token(run, number) for number in range(2)]
            named = replace(options, subject=options.subject or "this house", to_the_end=True)
            address = service.agent_addresses[0]
            return await asyncio.to_thread(check_server, address, tokens, named)
