"""How requests travel: one call each, or all of them on one stream."""

from __future__ import annotations

from typing import Protocol, TypeVar

import grpc
from houseguest.agent.v1 import agent_pb2

from .link import Link
from .retry import TransientError, classify, classify_rpc
from .stream import Requests
from .unpack import PlayAnswer, StepAnswer
from .watchdog import Watchdog

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class Transport(Protocol):
    """Sends one request and waits for its answer, at most ``timeout`` seconds.

    Each method raises TransientError where the same request may be sent again, and a
    HouseguestError otherwise. Calls come from one thread.
    """

    def begin_episode(
        self, request: agent_pb2.BeginEpisodeRequest, timeout: float
    ) -> agent_pb2.BeginEpisodeResponse:
        """As the call of that name."""

    def step(self, request: agent_pb2.StepRequest, timeout: float) -> StepAnswer:
        """As the call of that name."""

    def end_episode(
        self, request: agent_pb2.EndEpisodeRequest, timeout: float
    ) -> agent_pb2.EndEpisodeResponse:
        """As the call of that name."""

    def close(self) -> None:
        """Frees what it holds. May be called at any time."""


class UnaryTransport:
    """One call for each request."""

    def __init__(self, link: Link) -> None:
        self._stub, self._metadata = link.stub, link.metadata
        self._step = link.step

    def begin_episode(
        self, request: agent_pb2.BeginEpisodeRequest, timeout: float
    ) -> agent_pb2.BeginEpisodeResponse:
        return self.call(self._stub.BeginEpisode, request, timeout)

    def step(self, request: agent_pb2.StepRequest, timeout: float) -> StepAnswer:
        return self.call(self._step, request, timeout)

    def end_episode(
        self, request: agent_pb2.EndEpisodeRequest, timeout: float
    ) -> agent_pb2.EndEpisodeResponse:
        return self.call(self._stub.EndEpisode, request, timeout)

    def get_episode(
        self, request: agent_pb2.GetEpisodeRequest, timeout: float
    ) -> agent_pb2.GetEpisodeResponse:
        """GetEpisode, which no stream carries."""
        return self.call(self._stub.GetEpisode, request, timeout)

    def withdraw(
        self, request: agent_pb2.WithdrawRequest, timeout: float
    ) -> agent_pb2.WithdrawResponse:
        """Withdraw, which no stream carries."""
        return self.call(self._stub.Withdraw, request, timeout)

    def call(
        self,
        method: grpc.UnaryUnaryMultiCallable[_Request, _Response],
        request: _Request,
        timeout: float,
    ) -> _Response:
        """Makes one call. Raises as every transport does."""
        try:
            return method(request, timeout=timeout, metadata=self._metadata)
        except grpc.RpcError as error:
            raise classify_rpc(error) from error

    def close(self) -> None:
        """Holds nothing."""


class PlayTransport:
    """One stream for all requests; a broken or silent one is opened anew at the next request.

    The answer is awaited on the caller's own thread, since a hand-over between threads
    would cost more than the rest of a step; a watchdog cancels the stream when the
    answer is late.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._stream: _Stream | None = None
        self._last_id = 0
        self._watchdog = Watchdog()

    def begin_episode(
        self, request: agent_pb2.BeginEpisodeRequest, timeout: float
    ) -> agent_pb2.BeginEpisodeResponse:
        answer = self._ask(agent_pb2.PlayRequest(begin_episode=request), timeout)
        return answer.response.begin_episode

    def step(self, request: agent_pb2.StepRequest, timeout: float) -> StepAnswer:
        answer = self._ask(agent_pb2.PlayRequest(step=request), timeout)
        return StepAnswer(answer.response.step, answer.pictures)

    def end_episode(
        self, request: agent_pb2.EndEpisodeRequest, timeout: float
    ) -> agent_pb2.EndEpisodeResponse:
        answer = self._ask(agent_pb2.PlayRequest(end_episode=request), timeout)
        return answer.response.end_episode

    def _ask(self, request: agent_pb2.PlayRequest, timeout: float) -> PlayAnswer:
        self._last_id += 1
        request.request_id = self._last_id
        stream = self._stream
        if stream is None:
            stream = self._stream = _Stream(self._link)
        self._watchdog.watch(stream.cancel, timeout)
        answered = False
        try:
            answer = stream.ask(request)
            answered = True
        except grpc.RpcError as error:
            if self._watchdog.barked:
                message = f"no answer within {timeout:g} s"
                raise TransientError(message, timed_out=True) from error
            raise classify_rpc(error) from error
        finally:
            self._watchdog.rest()
            if not answered:
                self._drop_stream()
        if answer.response.HasField("error"):
            refusal = answer.response.error
            raise classify(refusal.code, refusal.reason, refusal.message)
        return answer

    def _drop_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def close(self) -> None:
        """Ends the stream and the watchdog's thread."""
        self._drop_stream()
        self._watchdog.close()


class _Stream:
    """One Play call."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._requests: Requests[agent_pb2.PlayRequest] = Requests()
        self._stream = link.play(self._requests)
        self.cancel = self._stream.cancel

    def ask(self, request: agent_pb2.PlayRequest) -> PlayAnswer:
        self._requests.put(request)
        for answer in self._stream.answers:
            if answer.response.request_id == request.request_id:
                return answer
        raise TransientError("the service closed the Play stream")

    def close(self) -> None:
        self._link.end(self._stream)
