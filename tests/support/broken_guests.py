"""Guests that each break one rule."""

from __future__ import annotations

import threading
import time
from typing import Any

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.sandbox.interface import AgentStart
from tests.support.plain_guest import PlainGuest, reason_of


class SaysNoHello(PlainGuest):
    breaks = "hello-first"

    def hello(self) -> None:
        pass


class ForgetsItsToken(PlainGuest):
    """Sends the token until it has the seat, and again when it is missed."""

    breaks = "token"
    forgetful = False

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return () if self.forgetful else super().metadata

    def begin(self, ordinal: int) -> agent_pb2.Episode | None:
        try:
            self.forgetful = True
            return super().begin(ordinal)
        except grpc.RpcError as error:
            if reason_of(error) != "TOKEN_MISSING":
                raise
            self.forgetful = False
            return super().begin(ordinal)
        finally:
            self.forgetful = False


class CountsFromOne(PlainGuest):
    """Finds out by itself that indices begin at 0."""

    breaks = "step-order"

    def step(self, episode: agent_pb2.Episode, index: int) -> agent_pb2.StepResponse:
        if index == 0:
            try:
                super().step(episode, 1)
            except grpc.RpcError as error:
                if reason_of(error) != "STEP_OUT_OF_ORDER":
                    raise
        return super().step(episode, index)


class SkipsAnEpisode(PlainGuest):
    breaks = "episode-order"

    def begin(self, ordinal: int) -> agent_pb2.Episode | None:
        if ordinal == 1:
            try:
                super().begin(7)
            except grpc.RpcError as error:
                if reason_of(error) != "EPISODE_OUT_OF_ORDER":
                    raise
        return super().begin(ordinal)


class StepsOnce(PlainGuest):
    """Takes one step more than there is."""

    breaks = "after-the-end"

    def play_episode(self, episode: agent_pb2.Episode) -> None:
        index = 0
        while self.step(episode, index).status == agent_pb2.EPISODE_STATUS_RUNNING:
            index += 1
        try:
            self.step(episode, index + 1)
        except grpc.RpcError as error:
            if reason_of(error) not in ("EPISODE_NOT_OPEN", "STEP_OUT_OF_ORDER"):
                raise


class NamesNoSession(PlainGuest):
    """Finds the session's name only after the service refuses the wrong one."""

    breaks = "session"

    def begin(self, ordinal: int) -> agent_pb2.Episode | None:
        request = agent_pb2.BeginEpisodeRequest(session_id="mine", episode_ordinal=ordinal)
        try:
            self.stub.BeginEpisode(request, metadata=self.metadata)
        except grpc.RpcError as error:
            if reason_of(error) != "SESSION_FOREIGN":
                raise
        return super().begin(ordinal)


class ThinksAgain(PlainGuest):
    """Repeats a step with another action, then with the first one after all."""

    breaks = "same-action"

    def again(self, request: Any) -> Any:
        if isinstance(request, agent_pb2.StepRequest):
            other = agent_pb2.StepRequest()
            other.CopyFrom(request)
            other.action.text = "something else"
            try:
                self.stub.Step(other, metadata=self.metadata)
            except grpc.RpcError as error:
                if reason_of(error) != "STEP_CONFLICT":
                    return request
        return request


class TakesNothingBack(PlainGuest):
    """Takes a call that failed for done, where it can."""

    breaks = "repeats"

    def step(self, episode: agent_pb2.Episode, index: int) -> agent_pb2.StepResponse:
        request = agent_pb2.StepRequest(
            episode_id=episode.episode_id, step_index=index, action=self.action(episode)
        )
        self.address(request)
        try:
            response: agent_pb2.StepResponse = self.once(self.stub.Step, request)
            return response
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE and "link broke" in (
                error.details() or ""  # type: ignore[attr-defined]
            ):
                return agent_pb2.StepResponse(status=agent_pb2.EPISODE_STATUS_RUNNING)
            return super().step(episode, index)


class AttachesAnew(PlainGuest):
    """Tries without its resume token first."""

    breaks = "resume-token"

    def attach(self) -> None:
        while self.grant.resume_token:
            try:
                for _ in self.stub.Attach(agent_pb2.AttachRequest(), metadata=self.metadata):
                    break
            except grpc.RpcError as error:
                # As long as the link is broken, nobody sees what it does.
                if error.code() is grpc.StatusCode.UNAVAILABLE:
                    time.sleep(0.05)
                    continue
            break
        super().attach()


class NeverWaits(PlainGuest):
    """Calls again at once when it calls too often."""

    breaks = "rate-limited"
    most_tries = 100_000

    def call(self, method: Any, request: Any) -> Any:
        while True:
            try:
                self.check()
                self.address_if_needed(request)
                return self.once(method, request)
            except grpc.RpcError as error:
                if reason_of(error) != "RATE_LIMITED":
                    return super().call(method, request)

    def address_if_needed(self, request: Any) -> None:
        if "session_epoch" in request.DESCRIPTOR.fields_by_name:
            self.address(request)


class DoesNotHearOfClosing(PlainGuest):
    """Asks for the next episode again and again while the house drains."""

    breaks = "draining"
    most_tries = 100_000

    def may_repeat(self, error: grpc.RpcError) -> bool:
        return reason_of(error) == "DRAINING" or super().may_repeat(error)

    def pause(self, attempt: int) -> float:
        return 0.02 if attempt < 8 else 0.05


class CallsOnRevoked(PlainGuest):
    """Takes a revoked session for a passing trouble."""

    breaks = "revoked"
    most_tries = 100_000

    def check(self) -> None:
        if self.over == "SESSION_REPLACED":
            self.over = ""
        super().check()

    def may_repeat(self, error: grpc.RpcError) -> bool:
        return reason_of(error) == "SESSION_REPLACED" or super().may_repeat(error)


class TriesTheTokenForEver(PlainGuest):
    breaks = "token-refused"
    most_tries = 100_000

    def may_repeat(self, error: grpc.RpcError) -> bool:
        return reason_of(error) == "TOKEN_INVALID" or super().may_repeat(error)


class LeavesWithAnError(PlainGuest):
    breaks = "finishes"

    def status_at_the_end(self) -> int:
        return 3 if self.played else 0

    played = False

    def play_episode(self, episode: agent_pb2.Episode) -> None:
        self.played = True
        super().play_episode(episode)


class KnowsEveryOutcome(PlainGuest):
    breaks = "unknown-outcomes"

    def step(self, episode: agent_pb2.Episode, index: int) -> agent_pb2.StepResponse:
        response = super().step(episode, index)
        for outcome in response.outcomes:
            action_pb2.OutcomeCode.Name(outcome.code)
        return response


class AlwaysLooks(PlainGuest):
    """Takes for granted that an answer which voids shows something."""

    breaks = "voided"

    def step(self, episode: agent_pb2.Episode, index: int) -> agent_pb2.StepResponse:
        response = super().step(episode, index)
        voided = response.status == agent_pb2.EPISODE_STATUS_VOIDED
        if voided and not response.HasField("observation"):
            raise ValueError("nothing to see")
        return response


class TakesTruncatedForRunning(PlainGuest):
    breaks = "truncated"

    def play_episode(self, episode: agent_pb2.Episode) -> None:
        index = 0
        while True:
            response = self.step(episode, index)
            index += 1
            if response.status == agent_pb2.EPISODE_STATUS_TRUNCATED and index == 1:
                raise ValueError("that is no way to end")
            if response.status != agent_pb2.EPISODE_STATUS_RUNNING:
                return


class ReadsSmallMessages(PlainGuest):
    """Keeps gRPC's limit of 4 MiB."""

    breaks = "large-messages"
    largest_message = 4 << 20


class ActsInAnswers(PlainGuest):
    breaks = "answer-mode"

    def action(self, episode: agent_pb2.Episode) -> action_pb2.Action:
        if episode.mode == agent_pb2.MODE_ANSWER:
            return action_pb2.Action(skill=action_pb2.SkillCall(name="answer"))
        return super().action(episode)


class TurnsArguments(PlainGuest):
    breaks = "action-fits"

    def skill_call(self, skill: action_pb2.Skill) -> action_pb2.SkillCall:
        call = super().skill_call(skill)
        turned = list(call.arguments)[::-1]
        return action_pb2.SkillCall(name=call.name, arguments=turned)


class WantsReferences(PlainGuest):
    """Requires a feature without a look at what Hello lists."""

    breaks = "features"
    required_features = (agent_pb2.FEATURE_FRAME_REFERENCE,)


class LetsGo(PlainGuest):
    """Closes the Attach stream once it has the grant."""

    breaks = "keeps-attached"

    def hold(self) -> None:
        stream = self.stub.Attach(self.attach_request(), metadata=self.metadata)
        try:
            for event in stream:
                self.take(event)
                if event.HasField("granted"):
                    stream.cancel()
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                self.over = reason_of(error) or "refused"
                self.granted.set()


class KnowsEveryEvent(PlainGuest):
    breaks = "unknown-events"

    def take(self, event: agent_pb2.AttachResponse) -> None:
        if event.WhichOneof("event") is None:
            self.over = "what is this?"
        super().take(event)


class DoesNotEnd(PlainGuest):
    breaks = "ends-when-asked"

    def __init__(self, agent_start: AgentStart, stop: threading.Event) -> None:
        super().__init__(agent_start, threading.Event())


BROKEN = (
    SaysNoHello,
    ForgetsItsToken,
    CountsFromOne,
    SkipsAnEpisode,
    StepsOnce,
    NamesNoSession,
    ThinksAgain,
    TakesNothingBack,
    AttachesAnew,
    NeverWaits,
    DoesNotHearOfClosing,
    CallsOnRevoked,
    TriesTheTokenForEver,
    LeavesWithAnError,
    KnowsEveryOutcome,
    AlwaysLooks,
    TakesTruncatedForRunning,
    ReadsSmallMessages,
    ActsInAnswers,
    TurnsArguments,
    WantsReferences,
    LetsGo,
    KnowsEveryEvent,
    DoesNotEnd,
)
