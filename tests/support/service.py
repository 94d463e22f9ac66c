"""A real service in a background thread, and an agent that is nothing but stubs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2, agent_pb2_grpc, observation_pb2
from houseguest.control.v1 import control_pb2_grpc

from env_service.domain.session import SessionLimits
from env_service.engine.placement import Placement
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.storage.signing_key import SigningKey

LAB = "tests.support.lab:LabSuite"
T = TypeVar("T")
TIMEOUT = 60.0
"""Seconds after which a call in a test counts as hanging."""


def session_limits(**changes: float | None) -> ServiceLimits:
    """Service limits whose session limits differ from the default."""
    return ServiceLimits(session=replace(SessionLimits(), **changes))  # type: ignore[arg-type]


class OpenService:
    """A service on Unix sockets. Every method may be called from the test's thread."""

    def __init__(  # noqa: PLR0917 - open_service alone makes one
        self,
        folder: Path,
        limits: ServiceLimits,
        runs: Path,
        key: Path,
        placement: Placement | None,
        helpers: int = 0,
    ) -> None:
        self.folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.server = GrpcServer(
            GrpcServerOptions(
                runs=runs,
                key=SigningKey.load_or_create(key),
                agents=Endpoint((f"unix:{folder}/agent.sock", "127.0.0.1:0")),
                control=Endpoint((f"unix:{folder}/control.sock", "127.0.0.1:0")),
                limits=limits,
                placement=placement,
                helpers=helpers,
            )
        )
        self.call(self.server.start())

    @property
    def loop_thread(self) -> int:
        """The identifier of the thread that the service's loop runs in."""
        assert self._thread.ident is not None
        return self._thread.ident

    @property
    def address(self) -> str:
        """The agents' Unix socket."""
        return self.server.agent_addresses[0]

    def call(self, work: Coroutine[Any, Any, T], timeout: float = 180.0) -> T:
        """Runs a coroutine on the service's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout)

    def open_run(self, suite: str = LAB, **request: Any) -> Run:
        """Opens a run."""
        return self.call(self.server.environment.open_run(RunRequest(suite, **request)))

    def token(self, run: Run, number: int = 0) -> str:
        """The lease token of a session."""
        return self.server.environment.lease_token(run, number)

    def agent(self, run: Run, number: int = 0, **attach: Any) -> RawAgent:
        """An attached agent."""
        agent = RawAgent(self.address, self.token(run, number))
        agent.attach(**attach)
        return agent

    def control(self) -> control_pb2_grpc.ControlServiceStub:
        """The operator's stub; pass ``metadata=service.operator``."""
        channel = grpc.insecure_channel(self.server.control_addresses[0])
        return control_pb2_grpc.ControlServiceStub(channel)

    @property
    def operator(self) -> tuple[tuple[str, str], ...]:
        """The operator's credentials."""
        return bearer(self.server.operator_token)

    def close(self) -> None:
        """Stops the service and its thread."""
        self.call(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


@contextmanager
def open_service(
    limits: ServiceLimits | None = None,
    runs: Path | None = None,
    key: Path | None = None,
    placement: Placement | None = None,
    helpers: int = 0,
) -> Iterator[OpenService]:
    """A service in a separate folder; short paths, as Unix sockets need them.

    ``runs`` and ``key`` lie elsewhere when another service is to go on with them. ``helpers`` are
    processes that load and list tasks (see GrpcServerOptions).
    """
    with TemporaryDirectory(prefix="hg-") as name:
        folder = Path(name)
        runs, key = runs or folder / "runs", key or folder / "key.pem"
        service = OpenService(folder, limits or ServiceLimits(), runs, key, placement, helpers)
        try:
            yield service
        finally:
            service.close()


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)


def skill(name: str, **arguments: str) -> action_pb2.Action:
    """A structured action."""
    pairs = [action_pb2.Argument(name=key, value=value) for key, value in arguments.items()]
    return action_pb2.Action(skill=action_pb2.SkillCall(name=name, arguments=pairs))


def reason_of(error: grpc.RpcError) -> str:
    """The reason in the trailing metadata of a failed call."""
    trailing = error.trailing_metadata() or ()  # type: ignore[attr-defined]
    return str(dict(trailing).get("houseguest-reason", ""))


class RawAgent:
    """Stubs, a token, and the numbers of the protocol; repeats nothing by itself."""

    def __init__(self, address: str, token: str) -> None:
        options = [("grpc.max_receive_message_length", 16 << 20)]
        options += [("grpc.max_send_message_length", 32 << 20)]
        options += [("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.insecure_channel(address, options=options)
        self.stub = agent_pb2_grpc.AgentServiceStub(self.channel)
        self.metadata = bearer(token)
        self.grant = agent_pb2.Granted()
        self.events: Any = None
        self.episode = agent_pb2.Episode()
        self.ordinal = 0
        self.index = 0

    def attach(
        self,
        observation: observation_pb2.ObservationRequest | None = None,
        features: tuple[int, ...] = (),
        resume_token: bytes = b"",
    ) -> agent_pb2.Granted:
        """Attaches and waits for the grant."""
        request = agent_pb2.AttachRequest(
            observation=observation, required_features=features, resume_token=resume_token
        )
        self.events = self.stub.Attach(request, metadata=self.metadata)
        for event in self.events:
            if event.HasField("granted"):
                self.grant = event.granted
                return self.grant
        raise AssertionError("the stream ended without a grant")

    @property
    def who(self) -> dict[str, Any]:
        """Session and epoch, as every request carries them."""
        return {"session_id": self.grant.session_id, "session_epoch": self.grant.session_epoch}

    def begin(self, ordinal: int | None = None) -> agent_pb2.BeginEpisodeResponse:
        """Begins the next episode."""
        asked = self.ordinal if ordinal is None else ordinal
        request = agent_pb2.BeginEpisodeRequest(**self.who, episode_ordinal=asked)
        response = self.stub.BeginEpisode(request, metadata=self.metadata, timeout=TIMEOUT)
        if response.HasField("episode") and ordinal is None:
            self.episode, self.index = response.episode, 0
            self.ordinal += 1
        return response

    def step_request(self, action: action_pb2.Action, index: int) -> agent_pb2.StepRequest:
        """A step under any index."""
        episode = self.episode.episode_id
        return agent_pb2.StepRequest(
            **self.who, episode_id=episode, step_index=index, action=action
        )

    def step(self, action: action_pb2.Action, timeout: float = TIMEOUT) -> agent_pb2.StepResponse:
        """The next step."""
        request = self.step_request(action, self.index)
        response = self.stub.Step(request, metadata=self.metadata, timeout=timeout)
        self.index += 1
        return response

    def repeat(self, action: action_pb2.Action, index: int) -> agent_pb2.StepResponse:
        """A step under an index of one's choice, which moves nothing on."""
        request = self.step_request(action, index)
        return self.stub.Step(request, metadata=self.metadata, timeout=TIMEOUT)

    def end(self, reason: int = agent_pb2.END_REASON_AGENT_DONE) -> agent_pb2.EndEpisodeResponse:
        """Ends the episode."""
        request = agent_pb2.EndEpisodeRequest(
            **self.who,
            episode_id=self.episode.episode_id,
            reason=reason,  # type: ignore[arg-type]
        )
        return self.stub.EndEpisode(request, metadata=self.metadata, timeout=TIMEOUT)

    def withdraw(
        self,
        reason: int = agent_pb2.WITHDRAW_REASON_MODEL_UNREACHABLE,
        message: str = "connection refused",
        trace: agent_pb2.Trace | None = None,
    ) -> agent_pb2.WithdrawResponse:
        """Leaves the run."""
        request = agent_pb2.WithdrawRequest(
            **self.who,
            reason=reason,  # type: ignore[arg-type]
            message=message,
            trace=trace,
        )
        return self.stub.Withdraw(request, metadata=self.metadata, timeout=TIMEOUT)

    def get_episode(self, episode_id: str = "") -> agent_pb2.GetEpisodeResponse:
        """All about the latest episode."""
        request = agent_pb2.GetEpisodeRequest(
            **self.who, episode_id=episode_id or self.episode.episode_id
        )
        return self.stub.GetEpisode(request, metadata=self.metadata, timeout=TIMEOUT)

    def play_out(self) -> int:
        """Wins every episode there is; returns how many."""
        played = 0
        while self.begin().HasField("episode"):
            self.step(skill("win"))
            played += 1
        return played

    def close(self) -> None:
        """Hangs up."""
        self.channel.close()


def assert_played(service: OpenService, run: Run, steps: int) -> None:
    """Every episode was won with exactly so many steps."""
    service.call(run.wait_until_over())
    assert run.state is RunState.SUCCEEDED
    records = run.context.folder.finished()
    assert [(record.success, record.steps) for record in records] == [(True, steps)] * len(records)
