"""Starts agents in containers, and leaves none behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docker.client import DockerClient

from env_service.sandbox.agent_output import LOG_BYTES, AgentLog
from env_service.sandbox.agents import AgentImage
from env_service.sandbox.docker.container import (
    DockerAgent,
    launch,
    remove_owned,
    start_error,
    sweep,
)
from env_service.sandbox.docker.engine import FAILURES, Calls, choose_runtime, connect, reason
from env_service.sandbox.docker.images import find_image
from env_service.sandbox.docker.owner import Owner
from env_service.sandbox.docker.settings import (
    Confinement,
    check_sources,
    describe,
    gpu_requests,
    recorded,
)
from env_service.sandbox.docker.watchdog import Watchdog
from env_service.sandbox.errors import AgentStartError
from env_service.sandbox.interface import AgentStart
from env_service.sandbox.options import SandboxOptions

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """What the engine answered."""

    client: DockerClient
    confinement: Confinement
    info: Mapping[str, Any]


def open_docker(agent: AgentImage, options: SandboxOptions) -> DockerSandbox:
    """A sandbox for agents of an image; removes the containers of services that are gone.

    Asks the engine, which takes a moment. Raises ImageMissingError, and AgentStartError where the
    engine does not answer or cannot do what the options ask for.
    """
    client = connect()
    try:
        info: dict[str, Any] = client.info()
        image = find_image(client, agent.image_id or agent.reference)
        options = _fitting(options, info)
        gpu_requests(options.limits.gpus)
        check_sources(options.mounts, _socket(client))
        runtime = choose_runtime(info, options.runtime, gpus=bool(options.limits.gpus))
        _check_network(client, options.network)
        with contextlib.suppress(*FAILURES):
            sweep(client)
    except FAILURES as error:
        client.close()
        raise AgentStartError(f"the Docker engine failed: {reason(error)}") from error
    except BaseException:
        client.close()
        raise
    agent = replace(agent, shared=image.shared)
    confinement = Confinement(agent, image, options, runtime, Owner.myself())
    return DockerSandbox(Opened(client, confinement, info))


class DockerSandbox:
    """Starts containers of one image. For one event loop, which no call to the engine holds up."""

    def __init__(self, opened: Opened) -> None:
        self._client, self._info = opened.client, opened.info
        self._confinement = opened.confinement
        self._calls = Calls()
        self._watching = asyncio.Lock()
        self._watchdog: Watchdog | None = None
        self._closed = False

    @property
    def shared(self) -> bool:
        """Whether one agent plays every session of a run."""
        return self._confinement.agent.shared

    @property
    def isolation(self) -> str:
        """One line on what an agent can do in here, and what it cannot."""
        return describe(self._confinement.options, self._confinement.runtime, self._info)

    @property
    def facts(self) -> dict[str, Any]:
        """What a run's manifest records of it."""
        return recorded(self._confinement, self._info)

    async def start(self, agent_start: AgentStart, log_path: Path) -> DockerAgent:
        """Starts a container.

        Raises ImageMissingError where the image was removed meanwhile, and AgentStartError for
        whatever else keeps it from starting, a program that cannot be run included.
        """
        if self._closed:
            raise AgentStartError("the sandbox is closed")
        settings = self._confinement.settings(agent_start)
        log = AgentLog(log_path, LOG_BYTES)
        try:
            await self._watch()
            launched = await self._calls.make(launch, self._client, settings)
        except FAILURES as error:
            log.close()
            raise start_error(self._confinement.agent.reference, error) from error
        except BaseException:
            log.close()
            raise
        agent = DockerAgent(self._client, self._calls, launched, log)
        seconds = self._confinement.options.limits.seconds
        try:
            if seconds is not None:
                agent.limit(seconds)
            await agent.check_started()
        except BaseException:
            await agent.stop(patience=0)
            raise
        return agent

    async def close(self) -> None:
        """Removes every container that was made here. Idempotent."""
        if self._closed:
            return
        self._closed = True
        # Containers that were being started exist now, whether their callers still wait or not.
        await self._calls.end()
        clean = await asyncio.to_thread(self._remove_all)
        if self._watchdog is not None:
            await asyncio.to_thread(self._watchdog.dismiss, clean=clean)
        self._client.close()

    def _remove_all(self) -> bool:
        try:
            remove_owned(self._client, self._confinement.owner)
        except FAILURES as error:
            LOG.warning("containers could not be removed: %s", reason(error))
            return False
        return True

    async def _watch(self) -> None:
        """Starts the watchdog, before there is any container."""
        async with self._watching:
            if self._watchdog is None:
                self._watchdog = await self._calls.make(Watchdog, self._confinement.owner)


def _fitting(options: SandboxOptions, info: Mapping[str, Any]) -> SandboxOptions:
    """The options with no more cores than the engine has. Raises AgentStartError where more were
    asked for."""
    wanted = options.limits.cpus
    cores = float(info.get("NCPU") or wanted)
    if wanted <= cores:
        return options
    if "--guest-cpus" in options.asked:
        raise AgentStartError(f"--guest-cpus {wanted:g}: the engine has {cores:g} cores")
    return replace(options, limits=replace(options.limits, cpus=cores))


def _socket(client: DockerClient) -> Path | None:
    """The socket by which the engine is reached."""
    adapter = getattr(client.api, "_custom_adapter", None)
    path = getattr(adapter, "socket_path", None)
    return None if path is None else Path(path).resolve()


def _check_network(client: DockerClient, network: str) -> None:
    if network in ("", "none"):
        return
    known = sorted(str(each.name) for each in client.networks.list())
    if network not in known or network.startswith("container:"):
        raise AgentStartError(
            f"--network {network}: the engine has no such network, only {', '.join(known)}"
        )
