"""The gRPC server of an environment service: both listeners, and the service behind them."""

from __future__ import annotations

import resource
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from env_service.engine.placement import Placement
from env_service.gateway import agent_service, control_service
from env_service.gateway.admission import OPERATOR_CALLS
from env_service.gateway.agent_service import AgentService
from env_service.gateway.control_service import ControlService
from env_service.gateway.environment_service import EnvironmentService
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint, Listener, Methods
from env_service.gateway.practice import PracticeRequest
from env_service.storage.signing_key import SigningKey


@dataclass(frozen=True, slots=True)
class GrpcServerOptions:
    """Where a service keeps its runs, listens, and what it enforces.

    An empty ``operator_token`` gets a fresh random one. ``placement`` None: worlds run anywhere.
    """

    runs: Path
    key: SigningKey
    agents: Endpoint
    control: Endpoint
    limits: ServiceLimits
    operator_token: str = ""
    placement: Placement | None = None
    helpers: int = 0
    """Processes that load, draw and list tasks (see gateway.background)."""


class GrpcServer:
    """Opens on ``start`` and closes on ``stop``; an async context manager does both."""

    def __init__(self, options: GrpcServerOptions) -> None:
        self.environment = EnvironmentService(
            options.runs, options.key, options.limits, options.placement, options.helpers
        )
        self.operator_token = options.operator_token or secrets.token_urlsafe(24)
        self.agent_addresses: list[str] = []
        self.control_addresses: list[str] = []
        self._options = options
        self._listeners: list[Listener] = []

    async def start(self) -> None:
        """Listens. Raises ListenError; nothing is left open then."""
        _raise_descriptor_limit()
        size = self._options.limits.max_message_bytes
        agents = AgentService(self.environment)
        control = ControlService(self.environment, self.operator_token)
        # A gRPC server belongs to the event loop that it is made on.
        of_agents = Methods(agent_service.SERVICE, agents.handlers(), agents.caller)
        of_control = Methods(
            control_service.SERVICE, control.handlers(), control.caller, OPERATOR_CALLS
        )
        self._listeners = [
            # An agent in a container is another user; its token says who it is.
            Listener(of_agents, size, 0o666),
            Listener(of_control, size, 0o600),
        ]
        try:
            self.agent_addresses = await self._listeners[0].start(self._options.agents)
            self.control_addresses = await self._listeners[1].start(self._options.control)
        except BaseException:
            await self.stop()
            raise

    async def stop(self, patience: float = 0.0) -> None:
        """Drains every run, stops every worker, closes both listeners. Idempotent.

        Open episodes have ``patience`` seconds to be finished.
        """
        try:
            await self.environment.close(patience)
        finally:
            for listener in self._listeners:
                await listener.stop()

    async def __aenter__(self) -> GrpcServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


def _raise_descriptor_limit() -> None:
    """Lets this process open as many files as it may.

    Each connection takes one, and a sandboxed agent can open thousands: with the usual soft limit
    of 1024 one of them could keep the others out.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# --- Where the service of one command listens


@dataclass(frozen=True, slots=True)
class PrivateEndpoints:
    """A private folder, and the addresses of the two listeners in it.

    A sandbox shows its agents the whole folder of the agents' socket, so that folder holds nothing
    else. Other users may read it, since an agent is another user. Only the service reads the rest
    of ``folder``.
    """

    folder: Path
    agents: str
    control: str


@contextmanager
def private_endpoints() -> Iterator[PrivateEndpoints]:
    """Makes the place; it is removed afterwards. Raises OSError."""
    # Agents see where a mount comes from: the name must not tell what is played.
    with tempfile.TemporaryDirectory(prefix="houseguest-") as name:
        folder = Path(name)
        for part, mode in (("agents", 0o755), ("control", 0o700)):
            (folder / part).mkdir()
            (folder / part).chmod(mode)
        yield PrivateEndpoints(
            folder, f"unix:{folder}/agents/agent.sock", f"unix:{folder}/control/control.sock"
        )


def practice_server_options(
    request: PracticeRequest,
    place: PrivateEndpoints,
    listen: str = "",
    placement: Placement | None = None,
    world_memory: int | None = None,
) -> GrpcServerOptions:
    """Options for a service that stores nothing: its run folder and its key stay unused.

    ``listen`` empty: agents connect at the private address. ``world_memory`` is in bytes.
    """
    sessions = max(request.sessions, ServiceLimits().max_sessions)
    return GrpcServerOptions(
        runs=place.folder / "runs",
        key=SigningKey.load_or_create(place.folder / "key.pem"),
        agents=Endpoint((listen or place.agents,)),
        control=Endpoint((place.control,)),
        limits=ServiceLimits(max_sessions=sessions, world_memory_bytes=world_memory),
        placement=placement,
    )
