"""How requests are sent, each exactly once: one call each, or all of them on one stream."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

import grpc
from houseguest.agent.v1 import agent_pb2

from .errors import HouseguestError, SupersededError
from .link import Link, Requests, Stream
from .options import RetryPolicy
from .retry import Backoff, TransientError, classify, classify_rpc
from .session import Session
from .zero_copy import PlayAnswer, StepAnswer


class Transport(Protocol):
    """Sends one request and waits at most ``timeout`` seconds for its answer.

    Each method raises TransientError if the same request may be sent again, and a HouseguestError
    otherwise. Calls come from one thread.
    """

    def begin_episode(
        self, request: agent_pb2.BeginEpisodeRequest, timeout: float
    ) -> agent_pb2.BeginEpisodeResponse:
        """The call BeginEpisode."""

    def step(self, request: agent_pb2.StepRequest, timeout: float) -> StepAnswer:
        """The call Step."""

    def end_episode(
        self, request: agent_pb2.EndEpisodeRequest, timeout: float
    ) -> agent_pb2.EndEpisodeResponse:
        """The call EndEpisode."""

    def close(self) -> None:
        """Releases its resources. May be called at any time."""


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
        """GetEpisode, which cannot be sent on a stream."""
        return self._link.call(self._stub.GetEpisode, request, timeout)

    def withdraw(
        self, request: agent_pb2.WithdrawRequest, timeout: float
    ) -> agent_pb2.WithdrawResponse:
        """Withdraw, which cannot be sent on a stream."""
        return self._link.call(self._stub.Withdraw, request, timeout)

    def close(self) -> None:
        """Does nothing: it holds no resources."""


class PlayTransport:
    """One stream for all requests. The next request reopens a broken or silent one."""

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
    """One Play call, read on a separate thread."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._requests: Requests[agent_pb2.PlayRequest] = Requests()
        self._answers: SimpleQueue[PlayAnswer | TransientError | HouseguestError] = SimpleQueue()
        self._stream: Stream[PlayAnswer] | None = None
        self._closed = False
        link.start_thread(self._follow, "houseguest-play")

    def ask(self, request: agent_pb2.PlayRequest, timeout: float) -> PlayAnswer:
        """Raises TransientError, also if no answer comes in time, and HouseguestError."""
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


# --- Delivers the requests of one session exactly once, over any transport


class _SessionRequest(Protocol):
    session_id: str
    session_epoch: int


_Request = TypeVar("_Request", bound=_SessionRequest)
_Response = TypeVar("_Response")


class RequestSender:
    """Repeats a request until it is answered.

    Every request that changes state has a key, so that a repeat joins the running step or gets
    the same answer again; nothing is ever executed twice. Every method raises UnreachableError
    when the policy's patience runs out, and the service's HouseguestError if a repeat changes
    nothing.
    """

    def __init__(
        self,
        session: Session,
        transport: Transport,
        unary: UnaryTransport,
        policy: RetryPolicy,
        *,
        stores_prompts: bool,
    ) -> None:
        """``policy.timeout`` must be set. ``stores_prompts``: the service takes Trace.prompt."""
        self.stores_prompts = stores_prompts
        self._session, self._transport, self._unary = session, transport, unary
        self._policy = policy
        self._timeout = policy.timeout or 0.0

    def step(self, request: agent_pb2.StepRequest) -> StepAnswer:
        """Delivers one action."""
        return self._deliver(self._transport.step, request)

    def begin_episode(
        self, ordinal: int, practice: agent_pb2.PracticeReset | None = None
    ) -> agent_pb2.BeginEpisodeResponse:
        """Asks for the next episode; waits as long as the service takes."""
        request = agent_pb2.BeginEpisodeRequest(episode_ordinal=ordinal, practice=practice)
        return self._deliver(self._transport.begin_episode, request, may_be_late=True)

    def end_episode(self, request: agent_pb2.EndEpisodeRequest) -> agent_pb2.EndEpisodeResponse:
        """Ends the open episode."""
        return self._deliver(self._transport.end_episode, request)

    def withdraw(self, request: agent_pb2.WithdrawRequest) -> agent_pb2.WithdrawResponse:
        """Leaves the run."""
        return self._deliver(self._unary.withdraw, request)

    def get_episode(self, episode_id: str) -> agent_pb2.GetEpisodeResponse:
        """Asks for the state of the session's latest episode."""
        request = agent_pb2.GetEpisodeRequest(episode_id=episode_id)
        return self._deliver(self._unary.get_episode, request)

    def _deliver(
        self,
        send: Callable[[_Request, float], _Response],
        request: _Request,
        *,
        may_be_late: bool = False,
    ) -> _Response:
        backoff: Backoff | None = None
        request.session_id = self._session.granted.session_id
        while True:
            self._session.check()
            epoch = request.session_epoch = self._session.granted.session_epoch
            try:
                return send(request, self._timeout)
            except TransientError as problem:
                if backoff is None or (may_be_late and problem.timed_out):
                    backoff = Backoff(self._policy, self._policy.patience)
                time.sleep(backoff.next(problem))
            except SupersededError:
                if not self._session.rose_above(epoch):
                    raise
