# ruff: noqa: N802 - gRPC names the methods
"""A small AgentService that misbehaves on command, for tests of an agent's side alone.

It keeps the contract of agent.proto where idempotency, epochs and leases are concerned
and knows no suite: an episode is a count of steps, and every action succeeds.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import grpc
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest.agent.v1 import agent_pb2_grpc
from houseguest.agent.v1.action_pb2 import (
    OUTCOME_CODE_SUCCEEDED,
    Action,
    ActionOutcome,
    ActionSpace,
    Parameter,
    Skill,
)
from houseguest.agent.v1.observation_pb2 import (
    CHANNEL_RGB,
    IMAGE_ENCODING_RAW,
    IMAGE_ROLE_CURRENT,
    Image,
    Observation,
)
from houseguest_agent import Options, RetryPolicy

TOKEN = "lease-token"
Fault = Callable[[], str]
"""Asked once for each answer: "" sends it, "lose" drops it after the work was done."""

_ALL_FEATURES = (pb.FEATURE_STREAMING_PLAY, pb.FEATURE_FRAME_REFERENCE)

SKILLS = (
    Skill(name="forward", description="One step ahead."),
    Skill(
        name="pickup",
        description="Take a thing.",
        parameters=[
            Parameter(name="object", description="What.", choices=["mug", "key"]),
            Parameter(name="hand", description="With which hand."),
        ],
    ),
)


class RefusedCall(Exception):  # noqa: N818 - an answer, not a fault
    """What a call fails with."""

    def __init__(self, code: grpc.StatusCode, reason: str) -> None:
        super().__init__(f"refused: {reason}")
        self.code, self.reason = code, reason


@dataclass
class Script:
    """What happens in the service. ``void_at`` and ``close_at`` name a step's index."""

    episodes: int = 1
    steps: int = 5
    step_seconds: float = 0.0
    begin_seconds: float = 0.0
    void_at: int = -1
    close_at: int = -1
    features: tuple[pb.Feature.ValueType, ...] = _ALL_FEATURES
    mode: pb.Mode.ValueType = pb.MODE_STEPWISE
    fault: Fault = field(default=lambda: "")


def lose_answers(rate: float, seed: int) -> Fault:
    """Drops that share of answers."""
    rng = random.Random(seed)
    return lambda: "lose" if rng.random() < rate else ""


def quick(service: FakeService, **changes: Any) -> Options:
    """Options for an agent of this service that waits briefly between attempts."""
    retry = RetryPolicy(60.0, 60.0, 0.01, longest_wait=0.05, timeout=30.0, rng=random.Random(0))
    return Options(**{"address": service.address, "token": TOKEN, "retry": retry, **changes})


class FakeService(agent_pb2_grpc.AgentServiceServicer):
    """One seat, one session at a time. The public lists record what happened."""

    def __init__(self, folder: Path, script: Script | None = None) -> None:
        self.address = f"unix:{folder / 'agent.sock'}"
        self.script = script or Script()
        self.executed: list[tuple[str, int, Action]] = []
        self.received: list[tuple[str, int]] = []
        self.ended: dict[str, tuple[int, str]] = {}
        self.withdrawn: list[pb.WithdrawRequest] = []
        self.attached: list[pb.AttachRequest] = []
        self.hellos: list[pb.HelloRequest] = []
        self.rate_limited = 0
        self.draining = False
        self.epoch = 0
        self.ordinal = -1
        self.steps: dict[int, tuple[bytes, Future[pb.StepResponse]]] = {}
        self.status = pb.EPISODE_STATUS_TERMINATED
        self._ready: dict[int, float] = {}
        self._tokens: set[bytes] = set()
        self._events: list[SimpleQueue[pb.AttachResponse | None]] = []
        self._lock = threading.RLock()
        self._world = ThreadPoolExecutor(1)
        self._server: grpc.Server | None = None

    def start(self) -> None:
        """Listens. May follow ``stop``: all sessions are still known."""
        self._server = grpc.server(ThreadPoolExecutor(24))
        agent_pb2_grpc.add_AgentServiceServicer_to_server(self, self._server)
        assert self._server.add_insecure_port(self.address)
        self._server.start()

    def stop(self) -> None:
        """Drops every connection. Nobody attaches between the first that goes and the last."""
        stopped = self._server.stop(0) if self._server else None
        self.drop_attach()
        if stopped:
            stopped.wait()

    def __enter__(self) -> FakeService:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._world.shutdown()

    def drop_attach(self) -> None:
        """Breaks the Attach streams."""
        for events in self._events:
            events.put(None)
        self._events.clear()

    def push(self, event: pb.AttachResponse) -> None:
        """Sends an event to every attached agent."""
        for events in self._events:
            events.put(event)

    def take_over(self) -> None:
        """As if another process had resumed the session."""
        with self._lock:
            self.epoch += 1
            self._tokens.clear()

    def Hello(self, request: pb.HelloRequest, context: grpc.ServicerContext) -> pb.HelloResponse:
        self._authenticate(context)
        self.hellos.append(request)
        return pb.HelloResponse(
            protocol_revision=1, min_protocol_revision=1, features=self.script.features
        )

    def Attach(
        self, request: pb.AttachRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.AttachResponse]:
        self._authenticate(context)
        events: SimpleQueue[pb.AttachResponse | None] = SimpleQueue()
        try:
            granted = self._grant(request)
        except RefusedCall as refused:
            _abort(context, refused)
        self._events.append(events)
        yield pb.AttachResponse(queued=pb.Queued(position=1))
        yield pb.AttachResponse(granted=granted)
        while context.is_active():
            with contextlib.suppress(Empty):
                event = events.get(timeout=0.1)
                if event is None:
                    context.abort(grpc.StatusCode.UNAVAILABLE, "stream dropped")
                yield event

    def BeginEpisode(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(self._begin, request, context)

    def Step(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(self._step, request, context)

    def EndEpisode(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(self._end, request, context)

    def Withdraw(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(self._withdraw, request, context)

    def GetEpisode(self, request: Any, context: grpc.ServicerContext) -> Any:
        return self._answer(self._tell, request, context)

    def Play(
        self, requests: Iterator[pb.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.PlayResponse]:
        self._authenticate(context)
        handlers: dict[str, Callable[[Any], Any]] = {
            "begin_episode": self._begin,
            "step": self._step,
            "end_episode": self._end,
        }
        for request in requests:
            kind = request.WhichOneof("request") or ""
            response = pb.PlayResponse(request_id=request.request_id)
            try:
                answer = self._checked(handlers[kind], getattr(request, kind))
                getattr(response, kind).CopyFrom(answer)
            except RefusedCall as refused:
                response.error.code = refused.code.value[0]
                response.error.reason = refused.reason
            if self.script.fault() == "lose":
                context.abort(grpc.StatusCode.UNAVAILABLE, "answer lost")
            yield response

    def _authenticate(self, context: grpc.ServicerContext) -> None:
        metadata = dict(context.invocation_metadata())
        if metadata.get("authorization") != f"Bearer {TOKEN}":
            _abort(context, RefusedCall(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_UNKNOWN"))

    def _answer(
        self, handle: Callable[[Any], Any], request: Any, context: grpc.ServicerContext
    ) -> Any:
        self._authenticate(context)
        try:
            answer = self._checked(handle, request)
        except RefusedCall as refused:
            _abort(context, refused)
        if self.script.fault() == "lose":
            context.abort(grpc.StatusCode.UNAVAILABLE, "answer lost")
        return answer

    def _checked(self, handle: Callable[[Any], Any], request: Any) -> Any:
        if self.rate_limited > 0:
            self.rate_limited -= 1
            raise RefusedCall(grpc.StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED")
        if request.session_epoch != self.epoch:
            raise RefusedCall(grpc.StatusCode.ABORTED, "SESSION_SUPERSEDED")
        return handle(request)

    def _grant(self, request: pb.AttachRequest) -> pb.Granted:
        with self._lock:
            if request.resume_token and request.resume_token not in self._tokens:
                raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "RESUME_REFUSED")
            if self.epoch and not request.resume_token:
                raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "SEAT_TAKEN")
            self.attached.append(request)
            self._tokens.clear()
            self.epoch += 1
            token = f"resume-{self.epoch}".encode()
            self._tokens.add(token)
            running = self.status == pb.EPISODE_STATUS_RUNNING
            return pb.Granted(
                session_id="session",
                session_epoch=self.epoch,
                resume_token=token,
                observation=request.observation,
                episodes_total=self.script.episodes,
                next_episode_ordinal=self.ordinal + 1,
                open_episode_id=self._id if running else "",
            )

    @property
    def _id(self) -> str:
        return f"episode-{self.ordinal}"

    def _begin(self, request: pb.BeginEpisodeRequest) -> pb.BeginEpisodeResponse:
        ready = time.monotonic() + self.script.begin_seconds
        ready = self._ready.setdefault(request.episode_ordinal, ready)
        time.sleep(max(0.0, ready - time.monotonic()))
        with self._lock:
            if self.draining:
                raise RefusedCall(grpc.StatusCode.UNAVAILABLE, "DRAINING")
            if request.episode_ordinal == self.ordinal + 1:
                if self.status == pb.EPISODE_STATUS_RUNNING:
                    raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "EPISODE_STILL_OPEN")
                if request.episode_ordinal >= self.script.episodes:
                    return pb.BeginEpisodeResponse(all_done=pb.AllDone())
                self.ordinal += 1
                self.steps = {}
                self.status = pb.EPISODE_STATUS_RUNNING
            elif request.episode_ordinal != self.ordinal:
                raise RefusedCall(grpc.StatusCode.OUT_OF_RANGE, "EPISODE_OUT_OF_ORDER")
            return pb.BeginEpisodeResponse(episode=self.opening())

    def opening(self) -> pb.Episode:
        """The message to an agent when the newest episode opens."""
        return pb.Episode(
            episode_id=self._id,
            suite="fake",
            suite_version="1",
            mode=self.script.mode,
            condition={"feedback": "detailed"},
            instruction=f"walk {self.script.steps} steps",
            instruction_language="en",
            action_space=ActionSpace(skills=SKILLS, json_schema='{"oneOf": []}'),
            observation=self.observation(0),
        )

    def observation(self, index: int) -> Observation:
        """A 2 × 1 picture that is new at 0 and the same ever after, and a text."""
        image = Image(channel=CHANNEL_RGB, encoding=IMAGE_ENCODING_RAW, width=2, height=1)
        image.role = IMAGE_ROLE_CURRENT
        referring = self.attached and pb.FEATURE_FRAME_REFERENCE in (
            self.attached[-1].required_features
        )
        if index and referring:
            image.same_as_observation = 0
        else:
            image.data = bytes(range(6))
        return Observation(index=index, images=[image], text=f"{index} steps walked")

    def _step(self, request: pb.StepRequest) -> pb.StepResponse:
        index, key = request.step_index, request.action.SerializeToString(deterministic=True)
        with self._lock:
            self.received.append((request.episode_id, index))
            if request.episode_id != self._id:
                raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "EPISODE_NOT_OPEN")
            if index not in self.steps:
                if index != len(self.steps):
                    raise RefusedCall(grpc.StatusCode.OUT_OF_RANGE, "STEP_OUT_OF_ORDER")
                if self.status != pb.EPISODE_STATUS_RUNNING:
                    raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "EPISODE_NOT_OPEN")
                self.steps[index] = (key, self._world.submit(self._execute, request))
            known, running = self.steps[index]
        if known != key:
            raise RefusedCall(grpc.StatusCode.ABORTED, "STEP_CONFLICT")
        return running.result()

    def _execute(self, request: pb.StepRequest) -> pb.StepResponse:
        index = request.step_index
        answer = pb.StepResponse(episode_id=request.episode_id, step_index=index)
        if index == self.script.close_at:
            self.status = answer.status = pb.EPISODE_STATUS_TRUNCATED
            return answer
        time.sleep(self.script.step_seconds)
        self.executed.append((request.episode_id, index, request.action))
        last = index + 1 >= self.script.steps
        answer.status = pb.EPISODE_STATUS_TERMINATED if last else pb.EPISODE_STATUS_RUNNING
        if index == self.script.void_at:
            answer.status = pb.EPISODE_STATUS_VOIDED
        else:
            answer.outcomes.append(ActionOutcome(code=OUTCOME_CODE_SUCCEEDED, feedback="done"))
            answer.observation.CopyFrom(self.observation(index + 1))
        answer.remaining.steps = self.script.steps - index - 1
        self.status = answer.status
        return answer

    def _end(self, request: pb.EndEpisodeRequest) -> pb.EndEpisodeResponse:
        with self._lock:
            if any(not running.done() for _, running in self.steps.values()):
                raise RefusedCall(grpc.StatusCode.ABORTED, "STEP_IN_FLIGHT")
            if self.status == pb.EPISODE_STATUS_RUNNING:
                self.status = pb.EPISODE_STATUS_TERMINATED
                self.ended[request.episode_id] = (request.reason, request.trace.thought)
            return pb.EndEpisodeResponse(status=self.status)

    def _withdraw(self, request: pb.WithdrawRequest) -> pb.WithdrawResponse:
        self.withdrawn.append(request)
        self.push(pb.AttachResponse(revoked=pb.Revoked(reason="SESSION_WITHDRAWN")))
        return pb.WithdrawResponse()

    def _tell(self, request: pb.GetEpisodeRequest) -> pb.GetEpisodeResponse:
        with self._lock:
            if request.episode_id != self._id:
                raise RefusedCall(grpc.StatusCode.FAILED_PRECONDITION, "EPISODE_NOT_OPEN")
            answers = [running.result() for _, running in self.steps.values() if running.done()]
            actions = [action for episode, _, action in self.executed if episode == self._id]
            last = pb.StepResponse()
            if answers:
                last.CopyFrom(answers[-1])
                # Whole, for an agent that asked for no references when it came back.
                last.observation.CopyFrom(self.observation(last.observation.index))
            return pb.GetEpisodeResponse(
                episode=self.opening(),
                history=[
                    pb.PastStep(action=action, outcomes=answer.outcomes)
                    for action, answer in zip(actions, answers, strict=False)
                ],
                last_step=last if answers else None,
                step_in_flight=len(answers) < len(self.steps),
                next_step_index=len(self.steps),
            )


def _abort(context: grpc.ServicerContext, refused: RefusedCall) -> None:
    context.set_trailing_metadata((("houseguest-reason", refused.reason),))
    context.abort(refused.code, str(refused))
