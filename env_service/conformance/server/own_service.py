"""Opens this service temporarily, so that the kit can check it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from env_service.conformance.report import ConformanceReport
from env_service.conformance.sample import Sample, find_sample
from env_service.conformance.server.check import ServerOptions, check_server
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions, private_endpoints
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.storage.signing_key import SigningKey

CALLS_PER_SECOND = 150
"""A limit that the kit can reach; the rest of its traffic stays far below."""


def check_own_service(options: ServerOptions | None = None, sample: str = "") -> ConformanceReport:
    """Opens a service with the small run of a sample and checks it. See `find_sample`."""
    return asyncio.run(_check(options or ServerOptions(), find_sample(sample)))


async def _check(options: ServerOptions, sample: Sample) -> ConformanceReport:
    with private_endpoints() as place:
        service = GrpcServer(
            GrpcServerOptions(
                runs=place.folder / "runs",
                key=SigningKey.load_or_create(place.folder / "key.pem"),
                agents=Endpoint((place.agents,)),
                control=Endpoint((place.control,)),
                limits=ServiceLimits(calls_per_second=CALLS_PER_SECOND),
            )
        )
        async with service:
            request = RunRequest(
                sample.suite,
                tasks=sample.tasks,
                limit=sample.episodes,
                repeats=1 + sample.episodes // 20,
                sessions=2,
                workers=1,
                condition=sample.condition,
            )
            run = await service.environment.open_run(request)
            tokens = [service.environment.lease_token(run, number) for number in range(2)]
            named = replace(options, subject=options.subject or "this service", to_the_end=True)
            address = service.agent_addresses[0]
            return await asyncio.to_thread(check_server, address, tokens, named)
