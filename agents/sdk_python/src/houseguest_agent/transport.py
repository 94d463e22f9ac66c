"""How requests travel: one call each, or all of them on one stream."""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue
from typing import Protocol

import grpc
from houseguest.agent.v1 import agent_pb2

from .errors import HouseguestError
from .link import Link
from .retry import TransientError, classify, classify_rpc
from .stream import Requests, Stream
from .unpack import PlayAnswer, StepAnswer


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
        self._link, self._stub = link, link.stub

    def begin_episode(
        self, request: agent_pb2.BeginEpisodeRequest, timeout: float
    ) -> agent_pb2.BeginEpisodeResponse:
        return self._link.call(self._stub.BeginEpisode, request, timeout)

    def step(self, request: agent_pb2.StepRequest, timeout: float) -> StepAnswer:
        return self._link.call(self._link.step, request, timeout)

    def end_episode(
        self, request: agent_pb2.EndEpisodeRequest, timeout: float
    ) -> agent_pb2.EndEpisodeResponse:
        return self._link.call(self._stub.EndEpisode, request, timeout)

    def get_episode(
        self, request: agent_pb2.GetEpisodeRequest, timeout: float
    ) -> agent_pb2.GetEpisodeResponse:
        """GetEpisode, which no stream carries."""
        return self._link.call(self._stub.GetEpisode, request, timeout)

    def withdraw(
        self, request: agent_pb2.WithdrawRequest, timeout: float
    ) -> agent_pb2.WithdrawResponse:
        """Withdraw, which no stream carries."""
        return self._link.call(self._stub.Withdraw, request, timeout)

    def close(self) -> None:
        """Holds nothing."""


class PlayTransport:
    """One stream for all requests; a broken or silent one is opened anew at the next request."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._stream: _Stream | None = None
        self._last_id = 0

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
        answered = False
        try:
            answer = stream.ask(request, timeout)
            answered = True
        finally:
            if not answered:
                self.close()
        if answer.response.HasField("error"):
            refusal = answer.response.error
            raise classify(refusal.code, refusal.reason, refusal.message)
        return answer

    def close(self) -> None:
        """Ends the stream."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()


class _Stream:
    """One Play call, followed by a thread of its own."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._requests: Requests[agent_pb2.PlayRequest] = Requests()
        self._answers: SimpleQueue[PlayAnswer | TransientError | HouseguestError] = SimpleQueue()
        self._stream: Stream[PlayAnswer] | None = None
        self._closed = False
        link.start_thread(self._follow, "houseguest-play")

    def ask(self, request: agent_pb2.PlayRequest, timeout: float) -> PlayAnswer:
        """Raises TransientError, also when no answer comes in time, and HouseguestError."""
        deadline = time.monotonic() + timeout
        self._requests.put(request)
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                raise TransientError(f"no answer within {timeout:g} s", timed_out=True) from None
            if isinstance(answer, TransientError | HouseguestError):
                raise answer
            if answer.response.request_id == request.request_id:
                return answer

    def close(self) -> None:
        """Ends the stream. Returns at once."""
        self._closed = True
        self._link.do(self._cancel)

    def _cancel(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    def _follow(self) -> None:
        try:
            stream = self._stream = self._link.play(self._requests)
        except HouseguestError as error:
            self._answers.put(error)
            return
        try:
            if self._closed:
                stream.cancel()
            for answer in stream.answers:
                self._answers.put(answer)
            self._answers.put(TransientError("the service closed the Play stream"))
        except grpc.RpcError as error:
            self._answers.put(classify_rpc(error))
        finally:
            self._link.end(stream)
