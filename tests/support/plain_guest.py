"""A guest of nothing but stubs, which keeps to the protocol; tests break its parts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2, agent_pb2_grpc

from env_service.sandbox.interface import AgentStart

PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED)
MAX_MESSAGE_BYTES = 16 << 20
RUNNING = agent_pb2.EPISODE_STATUS_RUNNING


class StoppedError(Exception):
    """Somebody asked the guest to end."""


class PlainGuest:
    """Plays all episodes with unary calls: the first skill, the first choices."""

    required_features: tuple[int, ...] = ()
    largest_message = MAX_MESSAGE_BYTES
    most_tries = 40

    def __init__(self, agent_start: AgentStart, stop: threading.Event) -> None:
        self.stop = stop
        self.token = agent_start.tokens[0]
        options = (
            ("grpc.max_receive_message_length", self.largest_message),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.enable_retries", 0),
        )
        self.channel = grpc.insecure_channel(agent_start.address, options)
        self.stub = agent_pb2_grpc.AgentServiceStub(self.channel)
        self.grant = agent_pb2.Granted()
        self.granted = threading.Event()
        self.over = ""
        self.closing = False

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)

    def run(self) -> int:
        """Plays to the end; returns the exit status."""
        try:
            self.hello()
            threading.Thread(target=self.hold, daemon=True).start()
            self.wait_for_grant()
            self.play()
            return self.status_at_the_end()
        except (grpc.RpcError, StoppedError, SessionOverError):
            return 1
        finally:
            self.closing = True
            self.channel.close()

    def status_at_the_end(self) -> int:
        return 0

    def hello(self) -> None:
        self.call(self.stub.Hello, agent_pb2.HelloRequest(protocol_revision=2))

    # --- the seat

    def attach_request(self) -> agent_pb2.AttachRequest:
        return agent_pb2.AttachRequest(
            required_features=self.required_features, resume_token=self.grant.resume_token
        )

    def hold(self) -> None:
        """Holds Attach open, and resumes when it breaks."""
        while not self.closing and not self.over:
            self.attach()
            if self.over:
                self.granted.set()
            else:
                self.granted.clear()
            time.sleep(0.02)

    def attach(self) -> None:
        """One Attach stream, to its end."""
        try:
            for event in self.stub.Attach(self.attach_request(), metadata=self.metadata):
                self.take(event)
        except grpc.RpcError as error:
            if error.code() not in PASSING:
                self.over = self.over or reason_of(error) or "refused"

    def take(self, event: agent_pb2.AttachResponse) -> None:
        kind = event.WhichOneof("event")
        if kind == "granted":
            self.grant = event.granted
            self.granted.set()
        elif kind == "revoked":
            self.over = event.revoked.reason
            self.granted.set()

    def wait_for_grant(self) -> None:
        while not self.granted.wait(0.05):
            self.check()
        self.check()

    def check(self) -> None:
        if self.stop.is_set():
            raise StoppedError
        if self.over:
            raise SessionOverError(self.over)

    # --- calls

    def call(self, method: Callable[..., Any], request: Any) -> Any:
        """Calls until there is an answer; waits a little more each time."""
        for attempt in range(self.most_tries):
            self.check()
            if "session_epoch" in request.DESCRIPTOR.fields_by_name:
                self.address(request)
            try:
                return self.once(method, request)
            except grpc.RpcError as error:
                if not (self.may_repeat(error) or self.left_behind(request, error)):
                    raise
                request = self.again(request)
                time.sleep(self.pause(attempt))
        raise SessionOverError("no answer")

    def once(self, method: Callable[..., Any], request: Any) -> Any:
        """One call, which is let go when the guest has to stop."""
        call = method.future(request, metadata=self.metadata)
        while True:
            try:
                return call.result(timeout=0.1)
            except grpc.FutureTimeoutError:
                if self.stop.is_set():
                    call.cancel()
                    raise StoppedError from None

    def address(self, request: Any) -> None:
        request.session_id = self.grant.session_id
        request.session_epoch = self.grant.session_epoch

    def again(self, request: Any) -> Any:
        return request

    def pause(self, attempt: int) -> float:
        return min(0.02 * 1.5**attempt, 0.5)

    def may_repeat(self, error: grpc.RpcError) -> bool:
        reason = reason_of(error)
        if reason == "DRAINING":
            return False
        return error.code() in PASSING or reason in ("RATE_LIMITED", "LEASE_EXPIRED")

    def left_behind(self, request: Any, error: grpc.RpcError) -> bool:
        """Whether the call was under way while the session was resumed by this very guest."""
        if reason_of(error) != "SESSION_SUPERSEDED":
            return False
        self.wait_for_grant()
        return bool(request.session_epoch < self.grant.session_epoch)

    # --- episodes

    def play(self) -> None:
        ordinal = 0
        while (episode := self.begin(ordinal)) is not None:
            self.play_episode(episode)
            ordinal += 1

    def begin(self, ordinal: int) -> agent_pb2.Episode | None:
        request = agent_pb2.BeginEpisodeRequest(episode_ordinal=ordinal)
        response = self.call(self.stub.BeginEpisode, request)
        return response.episode if response.HasField("episode") else None

    def play_episode(self, episode: agent_pb2.Episode) -> None:
        index, status = 0, RUNNING
        while status == RUNNING:
            status = self.step(episode, index).status
            index += 1

    def step(self, episode: agent_pb2.Episode, index: int) -> agent_pb2.StepResponse:
        request = agent_pb2.StepRequest(
            episode_id=episode.episode_id, step_index=index, action=self.action(episode)
        )
        response: agent_pb2.StepResponse = self.call(self.stub.Step, request)
        return response

    def action(self, episode: agent_pb2.Episode) -> action_pb2.Action:
        if episode.mode == agent_pb2.MODE_ANSWER:
            return action_pb2.Action(text="42")
        call = self.skill_call(episode.action_space.skills[-1])
        if episode.mode == agent_pb2.MODE_PLAN:
            return action_pb2.Action(plan=action_pb2.Plan(steps=[call]))
        return action_pb2.Action(skill=call)

    def skill_call(self, skill: action_pb2.Skill) -> action_pb2.SkillCall:
        arguments = [
            action_pb2.Argument(name=each.name, value=(each.choices or ["words"])[0])
            for each in skill.parameters
        ]
        return action_pb2.SkillCall(name=skill.name, arguments=arguments)


class SessionOverError(Exception):
    """The house ended the session."""


def reason_of(error: grpc.RpcError) -> str:
    """The reason in the trailing metadata of a failed call."""
    trailing = error.trailing_metadata() or ()  # type: ignore[attr-defined]
    return str(dict(trailing).get("houseguest-reason", ""))
